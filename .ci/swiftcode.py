"""Swift text without its comments and literals, for counting braces and names."""
import re

# The characters that may precede a regular expression's slash, where a division is impossible.
BEFORE_REGEX = set("(,=:[{!&|?;+-*<>~^%")
WORDS_BEFORE_REGEX = {"return", "in", "case", "where", "if", "guard", "while", "try", "await", "throw", "else", "is"}
# The only places where something other than plain code can begin, and the parentheses that end an interpolation.
MARK = re.compile(r'//|/\*|#*"""|#*"|#+/|[/()]')


class Unreadable(Exception):
    """Text that is not Swift."""


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def code_of(text):
    """The text with comments and literals blanked out; newlines and interpolated code are kept."""
    return take_code(text, 0, False)[0]


def take_code(text, index, is_interpolated):
    """The code from `index` up to the parenthesis that ends an interpolation, and its end."""
    out, depth = [], 0
    while mark := MARK.search(text, index):
        out.append(text[index:mark.start()])
        index, word = mark.start(), mark.group()
        if word in "()":
            depth += 1 if word == "(" else -1
            if is_interpolated and depth < 0:
                return "".join(out), index
            end, code = index + 1, word
        elif word.endswith('"'):
            code, end = take_string(text, mark)
        else:
            end = end_of_comment(text, index) or end_of_regex(text, index)
            code = blank(text[index:end]) if end else word
            end = end or mark.end()
        out.append(code)
        index = end
    return "".join(out) + text[index:], len(text)


def take_string(text, mark):
    """A string, blanked out except for its interpolations. The Swift Programming Language, String Literals."""
    hashes = mark.group().rstrip('"')
    closer = mark.group()[len(hashes):] + hashes
    escape = "\\" + hashes
    out, index = [blank(mark.group())], mark.end()
    while index < len(text):
        if text.startswith(closer, index):
            return "".join(out) + blank(closer), index + len(closer)
        if text.startswith(escape + "(", index):
            code, end = take_code(text, index + len(escape) + 1, True)
            out.append(blank(escape) + " " + code + " ")
            index = end + 1
        elif text.startswith(escape, index):
            out.append(blank(text[index:index + len(escape) + 1]))
            index += len(escape) + 1
        elif text[index] == "\n" and len(closer) - len(hashes) == 1:
            break
        else:
            out.append("\n" if text[index] == "\n" else " ")
            index += 1
    raise Unreadable(f"line {text.count(chr(10), 0, mark.start()) + 1}: a string does not end")


def end_of_comment(text, index):
    """The end of the comment that begins here, if any. Comments nest: the same book, Whitespace and Comments."""
    if text.startswith("//", index):
        end = text.find("\n", index)
        return len(text) if end < 0 else end
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(text, index) if text.startswith("/*", index) else ():
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    if depth:
        raise Unreadable("a comment does not end")
    return None


def end_of_regex(text, index):
    """The end of the regular expression that begins here, if any. The same book, Regular Expression Literals."""
    if extended := re.compile(r"(#+)/").match(text, index):
        end = text.find("/" + extended.group(1), extended.end())
        return None if end < 0 else end + 1 + len(extended.group(1))
    if not (plain := re.compile(r"/(?![\s/*])(?:\\.|[^\\/\n])*/").match(text, index)):
        return None
    before = text[max(0, index - 200):index].rstrip(" ")
    word = re.search(r"\w*$", before).group()
    is_possible = not before or before[-1] == "\n" or before[-1] in BEFORE_REGEX or word in WORDS_BEFORE_REGEX
    return plain.end() if is_possible else None

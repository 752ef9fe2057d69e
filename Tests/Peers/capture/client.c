// Sends a cleartext request to the given address, without a system library that could be redirected.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char **arguments) {
    static const char request[] = "GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n";
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
    char answer[64] = {0};
    if (count != 2 || inet_pton(AF_INET, arguments[1], &address.sin_addr) != 1) return 64;
    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(socket_, (struct sockaddr *)&address, sizeof address) < 0) return perror("connect"), 2;
    if (write(socket_, request, strlen(request)) < 0 || read(socket_, answer, sizeof answer - 1) <= 0) return 3;
    return strstr(answer, " 403 ") ? 0 : 4;
}

// Loads a URL with Node's https module, which uses no proxy by default.
const https = require("node:https");
https.get(process.argv[2], { agent: new https.Agent() }, (answer) => {
    answer.resume();
    answer.on("end", () => process.exit(answer.statusCode === 200 ? 0 : 1));
}).on("error", (error) => {
    console.error(error);
    process.exit(1);
});

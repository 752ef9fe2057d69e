// Loads a URL by Node's own https, which asks no proxy unless it is told to.
const https = require("node:https");
https.get(process.argv[2], { agent: new https.Agent() }, (answer) => {
    answer.resume();
    answer.on("end", () => process.exit(answer.statusCode === 200 ? 0 : 1));
}).on("error", (error) => {
    console.error(error);
    process.exit(1);
});

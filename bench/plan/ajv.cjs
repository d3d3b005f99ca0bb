// Prints the nanoseconds that AJV's compiled validator and JSON.parse take for one
// plan: node ajv.cjs FOLDER N, where FOLDER has schema.json and plan.json.
const fs = require("fs");
const path = require("path");
const Ajv = require("ajv");

const [folder, n] = [process.argv[2], Number(process.argv[3])];
const schema = JSON.parse(fs.readFileSync(path.join(folder, "schema.json"), "utf8"));
const reply = fs.readFileSync(path.join(folder, "plan.json"), "utf8");

// AJV finds a call's branch by its tool, so that it does not try the others.
const calls = schema.properties.calls;
calls.items = { type: "object", discriminator: { propertyName: "tool" }, required: ["tool"], oneOf: calls.items.anyOf };
const validate = new Ajv({ discriminator: true, allowUnionTypes: true }).compile(schema);

function turn() {
  const start = process.hrtime.bigint();
  for (let i = 0; i < n; i++) {
    if (!validate(JSON.parse(reply))) throw new Error(JSON.stringify(validate.errors));
  }
  return Number(process.hrtime.bigint() - start) / n;
}
turn(); // warm
console.log(turn().toFixed(1));

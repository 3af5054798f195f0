/**
 * Checks whether this version may be published: that what only a person can provide is there, and that the tag, the
 * version and the changelog agree. docs/internals/release.md has the list.
 *
 *   node scripts/release-check.mjs v1.0.0
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (file) => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8');
const manifest = JSON.parse(read('package.json'));
const tag = process.argv[2] ?? '';
const problems = [];

const addresses = { repository: manifest.repository?.url, homepage: manifest.homepage, bugs: manifest.bugs?.url };
for (const [field, address] of Object.entries(addresses)) {
  if (!URL.canParse(String(address).replace(/^git\+/, ''))) problems.push(`package.json: "${field}" holds no address`);
}
if (manifest.author === undefined) problems.push('package.json: "author" is missing');
if (tag !== `v${manifest.version}`)
  problems.push(`the tag "${tag}" is not v${manifest.version}, the version in package.json`);
if (
  !new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`, 'm').test(read('CHANGELOG.md'))
)
  problems.push(`CHANGELOG.md: no heading "## ${manifest.version} - <year>-<month>-<day>"`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error('Nothing is published: see docs/internals/release.md.');
  process.exit(1);
}

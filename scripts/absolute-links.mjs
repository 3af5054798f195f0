/**
 * Makes the relative links of README.md absolute, for the package's page in the registry. It changes the file, so it is
 * meant for the throw-away checkout that is published from.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const place = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const { repository, version } = JSON.parse(readFileSync(place('package.json'), 'utf8'));
const site = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
/** A picture needs the address of its raw bytes; any other file is shown as a page. */
const baseOf = (link) => `${site}/${link.endsWith('.png') ? 'raw' : 'blob'}/v${version}/`;

const readme = readFileSync(place('README.md'), 'utf8');
writeFileSync(
  place('README.md'),
  readme.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, link) => `](${new URL(link, baseOf(link))})`),
);

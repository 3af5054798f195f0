/**
 * Makes README.md's relative links absolute, for the registry's page. Changes the file: meant for the checkout that is
 * published from, which is thrown away.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const place = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const { repository, version } = JSON.parse(readFileSync(place('package.json'), 'utf8'));
const site = repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
/** A picture is shown from its bytes, a page is shown as a page. */
const baseOf = (link) => `${site}/${link.endsWith('.png') ? 'raw' : 'blob'}/v${version}/`;

const readme = readFileSync(place('README.md'), 'utf8');
writeFileSync(
  place('README.md'),
  readme.replaceAll(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, link) => `](${new URL(link, baseOf(link))})`),
);

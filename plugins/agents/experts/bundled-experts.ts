import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Expert } from '#plugin-api'

/** The data files in the source folder, which are not compiled and so do not lie beside this module. */
const FOLDER = new URL('../../../../plugins/agents/experts/catalog/', import.meta.url)

/** The order in lists: the general assistant first, then by id. */
const IDS = [
  'general-assistant',
  'data-analyst',
  'language-tutor',
  'legal-reader',
  'office-automation',
  'ops-engineer',
  'product-manager',
  'research-assistant',
  'software-engineer',
  'writing-coach',
]

/** The experts that come with the server. */
export const bundledExperts: readonly Expert[] = IDS.map((id) => ({
  ...JSON.parse(readFileSync(new URL(`${id}/manifest.json`, FOLDER), 'utf8')),
  files: fileURLToPath(new URL(`${id}/files`, FOLDER)),
}))

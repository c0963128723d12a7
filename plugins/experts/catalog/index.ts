import { fileURLToPath } from 'node:url'
import type { Expert } from '#plugin-api'
import { manifest as dataAnalyst } from './data-analyst/manifest.ts'
import { manifest as generalAssistant } from './general-assistant/manifest.ts'
import { manifest as languageTutor } from './language-tutor/manifest.ts'
import { manifest as legalReader } from './legal-reader/manifest.ts'
import type { Manifest } from './manifest.ts'
import { manifest as officeAutomation } from './office-automation/manifest.ts'
import { manifest as opsEngineer } from './ops-engineer/manifest.ts'
import { manifest as productManager } from './product-manager/manifest.ts'
import { manifest as researchAssistant } from './research-assistant/manifest.ts'
import { manifest as softwareEngineer } from './software-engineer/manifest.ts'
import { manifest as writingCoach } from './writing-coach/manifest.ts'

/** In the order in which they are shown: the one for everybody first, then by id. */
const manifests: readonly Manifest[] = [
  generalAssistant,
  dataAnalyst,
  languageTutor,
  legalReader,
  officeAutomation,
  opsEngineer,
  productManager,
  researchAssistant,
  softwareEngineer,
  writingCoach,
]

/** This folder in the source tree: what is not compiled lies there and not beside the compiled modules. */
const SOURCE = new URL('../../../../plugins/experts/catalog/', import.meta.url)

/** The experts that come with the server. */
export const bundledExperts: readonly Expert[] = manifests.map((manifest) => ({
  ...manifest,
  files: fileURLToPath(new URL(`${manifest.id}/files`, SOURCE)),
}))

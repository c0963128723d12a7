import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Locale } from '#kernel'
import type { Expert } from '../expert.ts'

/** Lists the folders of an expert whose files a workspace in this language begins with. */
export function listTemplateFolders({ files }: Expert, locale: Locale): string[] {
  const shared = join(files, 'shared')
  return [...(existsSync(shared) ? [shared] : []), join(files, locale)]
}

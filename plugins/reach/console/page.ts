import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Pages } from '#kernel'
import type { Cradle } from './manifest.ts'
import { protect } from './policy.ts'

const INDEX = 'index.html'

/** The page as Vite has built it. */
const folderOf = ({ config }: Pick<Cradle, 'config'>): string =>
  config.folder ?? join(import.meta.dirname, 'web')

/** True if the page was built. */
export const isBuilt = (cradle: Pick<Cradle, 'config'>): boolean => existsSync(join(folderOf(cradle), INDEX))

/** The page of the console, which answers every address that a browser opens. */
export const consolePage: Pages<Cradle> = {
  path: '/',
  label: 'console',
  index: INDEX,
  isApp: true,
  immutable: 'assets/',
  missing: 'CONSOLE_NOT_BUILT',
  locate: (name, cradle) => join(folderOf(cradle), name),
  headers: protect,
}

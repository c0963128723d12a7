import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFormCheck, localizedText, type Pages } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { protect } from './page.ts'
import type { ConsolePage } from './types.ts'

/** The address of the modules of plugins; the plugin's name follows. */
const PATH = '/console-pages/'

const checkForm = createFormCheck<ConsolePage>(
  {
    type: 'object',
    properties: {
      path: { type: 'string', pattern: '^(/[a-z0-9][a-z0-9-]*)+$', maxLength: 100 },
      title: localizedText,
      permission: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
      module: { type: 'string', pattern: '^file:.*/[\\w-][\\w.-]*\\.m?js$' },
    },
    required: ['path', 'title', 'module'],
    additionalProperties: false,
  },
  [],
)

/** Checks a page that a plugin adds; throws one sentence. */
export function assertConsolePage(candidate: unknown): ConsolePage {
  const page = checkForm(candidate, 'a page of the console')
  const module = fileURLToPath(page.module)
  if (!existsSync(module)) throw new Error(`the module ${module} does not exist`)
  if (existsSync(join(dirname(module), 'package.json')))
    throw new Error(
      `the module ${module} needs a folder of its own, because everybody may load what is in that folder`,
    )
  return page
}

/** Lists the pages of all plugins as the console reads them. */
export const listPluginPages = ({ extensions }: Pick<Cradle, 'extensions'>) =>
  extensions['console.page'].list().map(({ path, title, permission = null, module }) => {
    const plugin = extensions['console.page'].owner(path)
    return { path, title, permission, module: `${PATH}${plugin}/${basename(fileURLToPath(module))}` }
  })

/** The modules of plugins, and the files beside them. */
export const pluginModules: Pages<Cradle> = {
  path: PATH,
  locate(name, { extensions }) {
    const [plugin, ...parts] = name.split('/')
    const points = extensions['console.page']
    const folders = points
      .list()
      .filter(({ path }) => points.owner(path) === plugin)
      .map(({ module }) => dirname(fileURLToPath(module)))
    return folders.map((folder) => join(folder, ...parts)).find((path) => existsSync(path))
  },
  headers: protect,
}

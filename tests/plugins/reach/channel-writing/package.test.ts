import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from '../../../run/file-test.ts'

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url))
const PACKAGE = 'plugins/reach/channels/writing'

/** Lists the imports of the files in a folder, ours as paths from the root. */
const listImports = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((name) => {
      const file = join(folder, name)
      const source = readFileSync(join(ROOT, file), 'utf8')
      return [...source.matchAll(/\bfrom '([^']+)'/g)].map(([, target]) => ({
        file,
        target: target!.startsWith('.') ? normalize(join(dirname(file), target!)) : target!,
      }))
    })

const isInside = (path: string) => !relative(PACKAGE, path).startsWith('..')

t.test('The package imports nothing of the rest of the plugin, which imports only its entry', async (t) => {
  const imports = listImports('plugins/reach/channels')
  const back = imports.filter(
    ({ file, target }) => isInside(file) && target.startsWith('plugins/') && !isInside(target),
  )
  t.same(back, [])
  const users = imports.filter(({ file, target }) => !isInside(file) && isInside(target))
  t.same(
    users.filter(({ target }) => target !== `${PACKAGE}/index.ts`),
    [],
  )
  t.ok(users.length > 0, 'the imports are read')
})

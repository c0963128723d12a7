import { rolldown } from 'rolldown'
import { ROOT } from './packed.ts'

/**
 * Joins a program for browsers, which is given as source, with the packages that it imports from this repository.
 * Returns the code and the absolute paths of its modules.
 */
export async function bundleForBrowser(source: string, { minify = false } = {}) {
  const entry = `${ROOT}entry.js`
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? source : undefined),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', minify })
  await bundle.close()
  return { code: output[0].code, modules: output[0].moduleIds }
}

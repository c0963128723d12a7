// Fails if a first visit of the built console loads more than it may: files, and bytes of scripts as a release has them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

const FOLDER = 'dist/plugins/reach/console/web'
/** What is loaded, by the modules that begin it, and what it may be; the headers of the replies are not counted. */
const BUDGETS = [
  { load: 'the sign-in page', modules: [], kilobytes: 98, files: 6 },
  {
    load: 'a chat',
    modules: ['app.tsx', 'chat/markdown/markdown-block.tsx', 'i18n/en/app.ts'],
    kilobytes: 260,
    files: 15,
  },
]

const manifest = JSON.parse(readFileSync(join(FOLDER, '.vite/manifest.json'), 'utf8'))
const html = readFileSync(join(FOLDER, 'index.html'), 'utf8')
const initial = Object.keys(manifest).filter(
  (key) => key.endsWith('.js') && html.includes(`"/${manifest[key].file}"`),
)

for (const { load, modules, kilobytes, files } of BUDGETS) {
  const chunks = new Set([...initial, ...modules].flatMap((key) => listWithImports(key)))
  const styles = new Set([...chunks].flatMap((key) => manifest[key].css ?? []))
  const bytes = [...chunks].reduce((sum, key) => sum + measure(manifest[key].file), 0)
  const count = chunks.size + styles.size
  console.log(
    `${load}: ${(bytes / 1000).toFixed(1)} of ${kilobytes} kB of scripts, ${count} of ${files} files`,
  )
  if (bytes > kilobytes * 1000 || count > files) process.exitCode = 1
}

/** Lists a chunk and those that it imports at once, by their keys in the manifest. */
function listWithImports(key) {
  if (!manifest[key]) throw new Error(`No chunk begins with ${key}.`)
  return [key, ...(manifest[key].imports ?? []).flatMap((imported) => listWithImports(imported))]
}

/** Returns the bytes of a file that is compressed by Brotli at its best. */
function measure(file) {
  return brotliCompressSync(readFileSync(join(FOLDER, file))).length
}

// Writes `ui/icons.ts` of the console: the icons that its pages import from there, of a pinned version of Lucide, which
// is downloaded for the time that this takes.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const LUCIDE = 'lucide-react@1.75.0'
const PAGE = 'plugins/reach/console/web'
const FILE = `${PAGE}/ui/icons.ts`
const IMPORT = /import \{([^}]+)\} from '[^']*\/icons\.ts'/g

const folder = mkdtempSync(join(tmpdir(), 'svc-icons-'))
try {
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', LUCIDE]
  execFileSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  const lucide = join(folder, 'node_modules/lucide-react')
  const index = readFileSync(join(lucide, 'dist/esm/lucide-react.mjs'), 'utf8')
  const icons = await Promise.all(
    listNames().map(async (name) => {
      const [, file] = new RegExp(`default as ${name}\\b.* from '(.+)'`).exec(index) ?? []
      if (!file) throw new Error(`Lucide has no icon ${name}.`)
      const { __iconData } = await import(pathToFileURL(join(lucide, 'dist/esm', file)).href)
      return `export const ${name} = createIcon(${__iconData.node.map(formatShape).join(', ')})\n`
    }),
  )
  // The list of icons in it is one line.
  const license = readFileSync(join(lucide, 'LICENSE'), 'utf8')
    .trim()
    .replace(/(.{80,110}) /g, '$1\n')
  const head = `/*\nIcons of ${LUCIDE}, written by "npm run icons".\n\n${license}\n*/\n`
  writeFileSync(FILE, `${head}import { createIcon } from './icon.tsx'\n\n${icons.join('')}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
execFileSync(join('tests/node_modules/.bin', 'biome'), ['check', '--write', FILE], {
  stdio: ['ignore', 'ignore', 'inherit'],
})

/** Lists the names that the page imports from the file of icons. */
function listNames() {
  const names = readdirSync(PAGE, { recursive: true })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...readFileSync(join(PAGE, file), 'utf8').matchAll(IMPORT)])
    .flatMap(([, names]) => names.split(','))
    .map((name) => name.trim().replace(/ as .*/, ''))
    .filter(Boolean)
  return [...new Set(names)].sort()
}

/** Formats a shape as `createIcon` takes it; a path, which most shapes are, by its outline alone. */
function formatShape([element, { key: _, ...attributes }]) {
  const isOutline = element === 'path' && Object.keys(attributes).join() === 'd'
  return JSON.stringify(isOutline ? attributes.d : [element, attributes])
}

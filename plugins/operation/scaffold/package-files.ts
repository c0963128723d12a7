import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linkServer, OWN_PACKAGE } from '#plugin-api'

/** The templates, each with its extension point and the folder below the home in which it is installed. */
const TARGETS = {
  channel: { extends: 'channels.kinds', home: 'channels' },
  provider: { extends: 'providers.kinds', home: 'providers' },
  'search-engine': { extends: undefined, home: 'plugins' },
  feature: { extends: undefined, home: 'plugins' },
} as const

/** The name of a template. */
type Template = keyof typeof TARGETS

export const TEMPLATES = Object.keys(TARGETS) as readonly Template[]

/** True for the name of a template. */
export const isTemplate = (text: string): text is Template => Object.hasOwn(TARGETS, text)

/** The names that plugins and kinds may have. */
export const NAME_PATTERN = /^[a-z][a-z0-9-]{0,63}$/

/** The folder of the server's package. */
export const SERVER = fileURLToPath(new URL('../../../..', import.meta.url))

/** The folder of the templates in the source tree, since templates are not compiled. */
const SOURCE = join(SERVER, 'plugins/operation/scaffold/templates/')

/** True if the server's package has the declarations that a new one compiles with; a clone starts without them. */
export const hasDeclarations = (): boolean => existsSync(join(SERVER, 'dist/plugin-api/index.d.ts'))

/** The package that the template of a provider kind wraps. */
const WRAPPED = '@ai-sdk/openai-compatible'

/** The packages that compile a new one, in the versions that compile this one. */
const COMPILER = { '@types/node': '^20.19.43', typescript: '^7.0.2' }

/** The line of a feature that is replaced by what it adds to the console. */
const SLOTS = '    // {{slots}}\n'
const SLOT_CALL = `    host.extend('console.slots', {
      slot: 'message.actions',
      module: new URL('../console/note.js', import.meta.url).href,
      when: { role: 'assistant', permission: '__PERMISSION__' },
    })
`

/** Writes a new package to an empty folder and links it to the running server, so that it compiles at once. */
export function writePackage({
  template,
  name,
  folder,
  hasConsole,
}: {
  template: Template
  name: string
  folder: string
  /** True for a module of the console besides, which a feature may have. */
  hasConsole: boolean
}): void {
  const words = {
    '{{name}}': name,
    '{{template}}': template,
    '{{home}}': TARGETS[template].home,
    // For places that need an identifier.
    __SNAKE__: name.replaceAll('-', '_'),
    [SLOTS]: hasConsole ? SLOT_CALL.replace('__PERMISSION__', name.replaceAll('-', '_')) : '',
  }
  write(
    join(folder, 'package.json'),
    `${JSON.stringify(createManifest(template, name, hasConsole), undefined, 2)}\n`,
  )
  for (const source of ['all', template, ...(hasConsole ? ['console'] : [])].map((part) =>
    join(SOURCE, part),
  ))
    for (const file of listFiles(source))
      write(join(folder, toTarget(file)), fill(readFileSync(join(source, file), 'utf8'), words))
  linkServer(folder)
}

function createManifest(template: Template, name: string, hasConsole: boolean) {
  const { name: server, version, dependencies } = OWN_PACKAGE
  const { extends: point } = TARGETS[template]
  return {
    name,
    version: '0.1.0',
    description: `A ${template.replace('-', ' ')} for ${server}`,
    type: 'module',
    exports: './dist/src/index.js',
    files: ['dist/src', ...(hasConsole ? ['dist/console'] : [])],
    ...(point && { svc: { extends: point } }),
    scripts: {
      build: hasConsole ? 'tsc && tsc -p console' : 'tsc',
      pretest: 'npm run build',
      test: 'node --test dist/test/*.test.js',
      precheck: 'npm run build',
      check: 'svc plugin check',
      prepack: 'npm run build',
    },
    ...(template === 'provider' && { dependencies: { [WRAPPED]: dependencies[WRAPPED] } }),
    devDependencies: {
      ...COMPILER,
      [server]: `^${version}`,
    },
  }
}

/** Renames `gitignore`, which could not be called `.gitignore` here: npm omits such a file from packages. */
const toTarget = (file: string) => (file === 'gitignore' ? '.gitignore' : file)

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))

const fill = (text: string, words: Record<string, string>) =>
  text.replace(/ {4}\/\/ \{\{slots\}\}\n|\{\{\w+\}\}|__SNAKE__/g, (word) => words[word] ?? word)

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

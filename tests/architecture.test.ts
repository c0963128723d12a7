import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from './run/file-test.ts'
import { listPluginFolders } from './support/plugin-folders.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** One import of a file of this repository; `target` is a path from the root, or the name of a package. */
interface Import {
  file: string
  target: string
  typeOnly: boolean
  /** True for an import that runs when the code around it does. */
  isDynamic: boolean
}

const listFiles = (folder: string, name: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file))

const filesIn = (folder: string) => listFiles(folder, /\.ts$/)

const IMPORT =
  /^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|\b(typeof\s)?import\(['"]([^'"]+)['"]\)/gms

function importsOf(file: string): Import[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return [...source.matchAll(IMPORT)].map(([, type, from, typeOf, dynamic]) => {
    const target = (from ?? dynamic)!
    const path = target.startsWith('.') ? normalize(join(dirname(file), target)) : target
    return { file, target: path, typeOnly: (type ?? typeOf) !== undefined, isDynamic: dynamic !== undefined }
  })
}

/** Returns the folder of a feature or kind, e.g. `plugins/conversations/chat` or `channels/slack`. */
const homeOf = (path: string) =>
  path
    .split('/')
    .slice(0, path.startsWith('plugins/') ? 3 : 2)
    .join('/')

const PRODUCT_FILES = new Set(
  ['client', 'engine', 'kernel', 'plugin-api', 'plugins', 'channels', 'providers'].flatMap((folder) =>
    listFiles(folder, /\.tsx?$/),
  ),
)
/** Files by their names in imports such as `#kernel`; one that depends on the environment is an object. */
const ALIASES: Record<string, unknown> = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).imports

const OURS =
  /^(#client$|#client\/|#engine$|(client|engine|kernel|plugin-api|plugins|channels|providers|tests|bench)\/)/

t.test('the kernel imports no other folder of this repository but #engine, which imports none', async (t) => {
  for (const [folder, allowed] of [
    ['kernel', '#engine'],
    ['engine', ''],
  ] as const) {
    const foreign = filesIn(folder)
      .flatMap(importsOf)
      .filter(({ target }) => OURS.test(target) && !target.startsWith(`${folder}/`) && target !== allowed)
    t.same(foreign, [])
  }
})

/** Returns the file of this repository that an import means; undefined for a package. */
function fileOf(target: string): string | undefined {
  const alias = ALIASES[target]
  const path = typeof alias === 'string' ? alias.replace('./dist/', '').replace(/\.js$/, '.ts') : target
  return PRODUCT_FILES.has(path) ? path : undefined
}

/** Lists pairs of files that import each other, directly or by way of others. */
function listCircles(files: Iterable<string>, isCounted: (one: Import) => boolean): [string, string][] {
  const targets = new Map(
    [...files].map((file) => [
      file,
      importsOf(file)
        .filter(isCounted)
        .flatMap(({ target }) => fileOf(target) ?? []),
    ]),
  )
  const reach = (file: string) => {
    const reached = new Set<string>()
    const visit = (next: string) => {
      for (const target of targets.get(next) ?? []) {
        if (reached.has(target)) continue
        reached.add(target)
        visit(target)
      }
    }
    visit(file)
    return reached
  }
  const reached = new Map([...targets.keys()].map((file) => [file, reach(file)]))
  return [...reached].flatMap(([file, others]) =>
    [...others]
      .filter((other) => reached.get(other)?.has(file))
      .map((other): [string, string] => [file, other]),
  )
}

t.test('no file imports itself by way of others', async (t) => {
  t.same(
    listCircles(PRODUCT_FILES, ({ typeOnly, isDynamic }) => !typeOnly && !isDynamic),
    [],
  )
})

t.test('files of two folders of the kernel do not import each other, not even types', async (t) => {
  const circles = listCircles(filesIn('kernel'), () => true)
  t.ok(circles.length > 0, 'the files of the contract import the types of each other')
  t.same(
    circles.filter(([file, other]) => dirname(file) !== dirname(other)),
    [],
  )
})

t.test('the client imports only its own folder and openapi-fetch, and ws in Node.js', async (t) => {
  const foreign = filesIn('client')
    .flatMap(importsOf)
    .filter(
      ({ file, target }) =>
        !target.startsWith('client/') &&
        !['#client/socket', 'openapi-fetch'].includes(target) &&
        !(file === 'client/socket/node.ts' && target === 'ws'),
    )
  t.same(foreign, [])
})

t.test('a time limit is not joined with AbortSignal.any, by which Node.js 20 loses it', async (t) => {
  const joined = ['kernel', 'plugin-api', 'plugins', 'channels', 'providers', 'client']
    .flatMap(filesIn)
    .filter((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8')
      return /AbortSignal\.any\(/.test(source) && /AbortSignal\.timeout\(/.test(source)
    })
  t.same(joined, [], 'createDeadline of the toolbox serves')
})

t.test('a start imports no client of a vendor and no catalog of models', async (t) => {
  const heavy = /^(@ai-sdk\/(?!provider$)|aws4fetch$|llm-zoo$|ollama\b|@pydantic\/genai-prices$)/
  const files = new Set([
    'plugins/models/providers/index.ts',
    ...filesIn('providers').filter((file) => /^providers\/[^/]+\/index\.ts$/.test(file)),
  ])
  t.ok(files.size > 8)
  const edges: Import[] = []
  for (const file of files)
    for (const edge of importsOf(file).filter(({ typeOnly, isDynamic }) => !typeOnly && !isDynamic)) {
      edges.push(edge)
      if (OURS.test(edge.target)) files.add(edge.target)
    }
  t.ok(files.has('providers/bedrock/model-name.ts'))
  t.same(
    edges.filter(({ target }) => heavy.test(target)),
    [],
  )
})

/** Modules with which the server interprets the results of a kind; the testing kit uses them to check kinds. */
const JUDGES = [
  'plugins/conversations/chat/loop/model-answer.ts',
  'plugins/conversations/chat/loop/model-context.ts',
  'plugins/models/providers/counted-usage.ts',
  'plugins/models/providers/explained-failure.ts',
  'plugins/models/providers/media-results.ts',
]

/** Names of features, which must not occur in the kernel's identifiers. */
const FEATURES = /\b\w*(tool|expert|persona|skill|channel|thread|model|provider|agent)\w*\b/gi
const NEUTRAL = /^(too\w*|tookTooLong|Agent|agent|connectToMainThread)$/

t.test('no identifier of the kernel names a feature', async (t) => {
  const named = filesIn('kernel').flatMap((file) => {
    const code = readFileSync(join(ROOT, file), 'utf8')
      .replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '')
      .replaceAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '')
    return [...code.matchAll(FEATURES)].map(([word]) => `${file}: ${word}`)
  })
  t.same(
    named.filter((one) => !NEUTRAL.test(one.split(': ')[1]!)),
    [],
  )
})

t.test(
  'the plugin API imports only #kernel, its own folder, and types of plugins and of #client',
  async (t) => {
    const foreign = filesIn('plugin-api')
      .flatMap(importsOf)
      .filter(
        ({ file, target, typeOnly }) =>
          OURS.test(target) &&
          !target.startsWith('plugin-api/') &&
          !(typeOnly && /^plugins\/|^#client$/.test(target)) &&
          !(file.startsWith('plugin-api/testing/') && JUDGES.includes(target)),
      )
    t.same(foreign, [])
  },
)

t.test('the plugin API brings the types of every built-in plugin', async (t) => {
  const brought = importsOf('plugin-api/built-in.ts').map(({ target }) => target)
  const plugins = listPluginFolders().map(({ folder }) => `plugins/${folder}/index.ts`)
  t.same(brought.sort(), plugins.sort())
})

/** A client of the API imports types of schemas only, and works without the plugins that serve them. */
const CLIENTS = ['console', 'eval', 'terminal']

t.test(
  'plugins import only #plugin-api, their own folder, types of other plugins, and clients #client',
  async (t) => {
    const imports = filesIn('plugins').flatMap(importsOf)
    const foreign = imports.filter(
      ({ file, target, typeOnly }) =>
        OURS.test(target) &&
        homeOf(target) !== homeOf(file) &&
        !(typeOnly && target.startsWith('plugins/')) &&
        !(target === '#client' && CLIENTS.includes(basename(homeOf(file)))),
    )
    t.same(foreign, [])
    t.ok(
      imports.some(({ target }) => target === '#plugin-api'),
      'imports are found',
    )
  },
)

t.test(
  'some plugins are built with what a third party has, and with no types of other plugins',
  async (t) => {
    for (const home of ['plugins/conversations/feedback', 'plugins/reach/voice', 'plugins/tools/images']) {
      const imports = filesIn(home).flatMap(importsOf)
      t.ok(imports.length > 5, home)
      t.same(
        imports.filter(({ target }) => OURS.test(target) && homeOf(target) !== home),
        [],
      )
    }
  },
)

t.test('plugins and kinds import nothing of the server that a third party cannot import', async (t) => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const aliases = ['plugins', 'channels', 'providers']
    .flatMap((folder) => listFiles(folder, /\.tsx?$/))
    .flatMap(importsOf)
    .filter(({ target }) => target.startsWith('#'))
  t.ok(aliases.length > 500)
  t.same(
    aliases.filter(({ target }) => exports[target.replace('#', './')]?.default !== ALIASES[target]),
    [],
  )
})

/** Kinds that are variants of another kind, and may import that kind. */
const VARIANTS: Record<string, string> = {
  'providers/azure-openai': 'providers/openai',
  'providers/openai-compatible': 'providers/openai',
  'providers/bedrock': 'providers/anthropic',
}

/** A file beside the kinds, which any of them may import. */
const SHARED = /^providers\/[\w-]+\.ts$/

for (const folder of ['providers', 'channels'])
  t.test(
    `kinds in ${folder} import only #plugin-api, their own folder, and the kind of which they are a variant`,
    async (t) => {
      const files = existsSync(join(ROOT, folder)) ? filesIn(folder) : []
      t.same(
        files
          .flatMap(importsOf)
          .filter(
            ({ file, target }) =>
              OURS.test(target) &&
              !SHARED.test(target) &&
              ![homeOf(file), VARIANTS[homeOf(file)]].includes(homeOf(target)),
          ),
        [],
      )
    },
  )

t.test('a plugin depends on every plugin whose types it imports', async (t) => {
  for (const { name, folder } of listPluginFolders().filter((plugin) => !CLIENTS.includes(plugin.name))) {
    const { default: plugin } = await import(join(ROOT, 'dist', 'plugins', folder, 'index.js'))
    const used = new Set(
      filesIn(`plugins/${folder}`)
        .flatMap(importsOf)
        .map(({ target }) => homeOf(target))
        .filter((home) => home.startsWith('plugins/') && home !== `plugins/${folder}`)
        .map((home) => basename(home)),
    )
    const undeclared = [...used].filter((other) => !plugin.depends?.includes(other))
    t.same(undeclared, [], `${name} declares its dependencies`)
  }
})

t.test('tests run with the packages of the server, even if their tools bring the same ones', async (t) => {
  const readJson = (...path: string[]) => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'))
  const { dependencies } = readJson('package.json')
  const folders = readdirSync(join(ROOT, 'tests'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map(({ name }) => join('tests', name))
  const imported = folders
    .flatMap(filesIn)
    .flatMap(importsOf)
    .filter(({ target, typeOnly }) => !typeOnly && Object.hasOwn(dependencies, target))
  const shared = [...new Set(imported.map(({ target }) => target))].filter((name) =>
    existsSync(join(ROOT, 'tests/node_modules', name)),
  )
  t.ok(shared.includes('ajv'))
  for (const name of shared) {
    const manifest = join('node_modules', name, 'package.json')
    t.equal(readJson('tests', manifest).version, readJson(manifest).version, name)
  }
})

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import bytes from 'bytes'
import {
  assertKeyKept,
  type Blueprint,
  type Command,
  type CommandInput,
  createLogger,
  explainUnwritable,
  extensionsOf,
  JSON_OPTION,
  keyPathIn,
  openKeyRing,
  originOf,
  printJson,
  printTable,
  readBlueprint,
} from '#plugin-api'
import type { Database } from '#plugin-api/operation'

/** The time that the holder of our port has to answer, in milliseconds. */
const PORT_PATIENCE_MS = 2000

/** One thing that was looked at. */
interface Finding {
  check: string
  ok: boolean
  detail: string
}

/** `svc doctor`: looks at all that a start needs and says what is wrong; exit code 1 where something is. */
export const doctorCommand: Command<unknown> = {
  name: 'doctor',
  standalone: true,
  summary: 'Check that the server can start',
  options: [JSON_OPTION],
  async run(input) {
    const findings = await examine(input)
    if (input.options.json) printJson(input.stdout, findings)
    else
      printTable(
        input.stdout,
        findings.map(({ check, ok, detail }) => [ok ? 'ok  ' : 'FAIL', check, detail]),
      )
    return findings.every(({ ok }) => ok) ? 0 : 1
  },
}

async function examine({ home, env }: CommandInput): Promise<Finding[]> {
  let blueprint: Blueprint | undefined
  const findings = [
    await look('node', () => checkNode(process.versions.node)),
    await look('home', () => checkHome(home)),
  ]
  // All else that a start needs is in the home, and would fail for the same reason.
  if (explainRefusal(home) !== undefined) return findings
  findings.push(
    await look('configuration', async () => {
      blueprint = await readBlueprint({ home, env })
      const { strayVariables, rows } = blueprint.config
      if (strayVariables.length > 0) throw new Error(strayVariables.join('; '))
      return `${rows().length} keys`
    }),
  )
  const values = blueprint?.config.values
  if (values) findings.push(await look('disk', () => describeSpace(home, values.disk.stop_below)))
  const database = values && (await look('database', () => checkDatabase(values.database.url, home)))
  // Only the database knows if a missing key was lost.
  if (existsSync(keyPathIn(home)) || database?.ok !== false)
    findings.push(await look('secret key', () => checkKey(home, values?.database)))
  if (!blueprint || !values) return findings
  return [
    ...findings,
    await look('plugins', () => describePlugins(blueprint!)),
    await look('extensions', () => describeExtensions(blueprint!)),
    ...(await askPlugins(blueprint)),
    database!,
    await look('port', () => checkPort(values.http)),
  ]
}

async function look(check: string, act: () => string | Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await act() }
  } catch (error) {
    return { check, ok: false, detail: (error as Error).message }
  }
}

function describePlugins({ plugins, absent }: Blueprint): string {
  const failures = absent.flatMap(({ name, reason, failed }) => (failed ? [`${name}: ${reason}`] : []))
  if (failures.length > 0) throw new Error(failures.join('; '))
  return `${plugins.length} enabled, ${absent.length} switched off`
}

function describeExtensions(blueprint: Blueprint): string {
  const counts = [...extensionsOf(blueprint)].flatMap(([point, { names }]) => {
    const { nameOf, noun } = blueprint.points.get(point)!
    const { length } = names()
    return nameOf && length > 0 ? [`${length} ${length === 1 ? noun : toPlural(noun)}`] : []
  })
  return counts.join(', ')
}

/** Returns the plural of a noun such as "tool" or "page of the console". */
const toPlural = (noun: string) => noun.replace(/^[^ ]+(?: (?!of )[^ ]+)*/, '$&s')

/** The checks of plugins, run without a database. */
async function askPlugins(blueprint: Blueprint): Promise<Finding[]> {
  const checks = blueprint.plugins.flatMap(({ plugin, declarations }) =>
    declarations.checks.map((check) => ({ ...check, owner: plugin.name })),
  )
  if (checks.length === 0) return []
  const { openRuntime } = await import('#plugin-api/operation')
  const opened = openRuntime({ blueprint, log: createLogger({ level: 'silent' }), database: false })
  return Promise.all(
    checks.map(({ name, look: lookAt, owner }) =>
      look(name, async () => lookAt((await opened).cradleOf(owner))),
    ),
  )
}

function checkNode(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) throw new Error(`${version}; 20.19 or later is needed`)
  return version
}

function checkHome(home: string): string {
  const refusal = explainRefusal(home)
  if (refusal !== undefined) throw new Error(refusal)
  if (statSync(home).mode & 0o022) throw new Error(`${home} is writable by others; run chmod 700 on it`)
  return home
}

/** Explains why the home cannot be read and written; undefined if it can. */
function explainRefusal(home: string): string | undefined {
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return explainUnwritable(error, home)
  }
}

const formatBytes = (size: number) => bytes.format(size, { unitSeparator: ' ', decimalPlaces: 1 })

/** Describes the space of the home's disk; throws the description if writes are refused. */
function describeSpace(home: string, stop_below: string): string {
  const { bavail, bsize, blocks } = statfsSync(home)
  // Some network file systems have no size.
  if (blocks === 0) return 'the file system reports no size'
  const space = `${formatBytes(bavail * bsize)} of ${formatBytes(blocks * bsize)} are free`
  if (bavail * bsize >= bytes.parse(stop_below)!) return space
  throw new Error(`${space}; below ${stop_below} (disk.stop_below), writes are refused (507 STORAGE_FULL)`)
}

/** `database` is undefined if the configuration cannot be read: a missing key is then taken for a first start. */
async function checkKey(home: string, database: { url?: string } | undefined): Promise<string> {
  if (database && !existsSync(keyPathIn(home)))
    await withDatabase(database.url, home, ({ db }) => assertKeyKept(home, db))
  const [, former] = openKeyRing(home).keys()
  return `present, 0600${former ? '; it is being replaced: "svc admin rotate-secret-key" continues that' : ''}`
}

function checkDatabase(url: string | undefined, home: string): Promise<string> {
  return withDatabase(url, home, async (database) => {
    const latency = await database.ping()
    return `${url ? 'MongoDB server' : 'embedded engine'}, ${latency.toFixed(1)} ms`
  })
}

async function withDatabase<Result>(
  url: string | undefined,
  home: string,
  act: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { openDatabase } = await import('#plugin-api/operation')
  const database = await openDatabase({ url, home, log: createLogger({ level: 'silent' }) })
  try {
    return await act(database)
  } finally {
    await database.close()
  }
}

/** A port in use is not a fault if our own server answers there. */
async function checkPort({ host, port }: { host: string; port: number }): Promise<string> {
  const refusal = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen(port, host, () => probe.close(() => resolve(undefined)))
  })
  if (!refusal) return `${host}:${port} is free`
  if (await answers(`${originOf(host, port)}/api/health/live`))
    return `${host}:${port} is used by a running server`
  throw new Error(`${host}:${port} cannot be used: ${refusal.message}`)
}

/** True if a GET is answered with 200. `fetch` does not settle if the peer closes without an answer. */
const answers = (url: string) =>
  new Promise<boolean>((resolve) => {
    get(url, { signal: AbortSignal.timeout(PORT_PATIENCE_MS) }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    }).on('error', () => resolve(false))
  })

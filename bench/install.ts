import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readProcessorTime } from '../tests/run/costs.ts'
import { ofKind, recordLoads } from '../tests/support/page-load.ts'
import { measurePaint, signIn, startBrowser } from './browser.ts'
import { type Figure, median, type Row, spread } from './figure.ts'
import type { Stage } from './stage.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const VISITS = 5

/** The wall time and the processor time of a command with all that it started, in milliseconds. */
interface Cost {
  wall: number
  cpu: number
}

/** Measures the way from a clone to a server and to its tests, a release, and the first visits of its page. */
export const measureInstall: Figure = async (stage) => [
  ...(await measureClone(stage)),
  ...(await measurePages(stage)),
]

async function measureClone(stage: Stage): Promise<Row[]> {
  const folder = await stage.createHome()
  const clone = join(folder, 'clone')
  const env = environment({ npm_config_cache: join(folder, 'cache') })
  const npm = (...args: string[]) => measure('npm', args, { cwd: clone, env })
  const startUp = async () => {
    const home = await stage.createHome()
    return measure('npm', ['start'], { cwd: clone, env: { ...env, SVC_HOME: home, SVC_PORT: '0' } }, home)
  }
  await measure('git', ['clone', '--quiet', ROOT, clone], { cwd: folder, env })

  const cold = [await npm('ci'), await startUp()]
  const modules = await megabytes(join(clone, 'node_modules'))
  const again = await startUp()
  await Promise.all(['node_modules', 'dist'].map((name) => rm(join(clone, name), { recursive: true })))
  const warm = [await npm('ci'), await startUp()]
  await Promise.all(['node_modules', 'dist'].map((name) => rm(join(clone, name), { recursive: true })))
  const tested = [await npm('ci'), await npm('test')]
  await npm('run', 'release')
  const release = join(clone, 'release')
  const tarball = join(release, (await readdir(release)).find((name) => name.endsWith('.tgz'))!)
  const prefix = join(folder, 'prefix')
  const installed = await npm('install', '-g', '--prefix', prefix, tarball)

  return [
    ...toRows('npm ci && npm start, empty npm cache', cold),
    { measure: 'node_modules', value: modules, unit: 'MB' },
    ...toRows('npm ci && npm start, warm npm cache', warm),
    ...toRows('second npm start', [again]),
    ...toRows('npm ci && npm test, warm npm cache', tested),
    { measure: 'tarball', value: (await stat(tarball)).size / 1e6, unit: 'MB' },
    ...toRows('npm install of the tarball', [installed]),
    { measure: 'an installed release', value: await megabytes(prefix), unit: 'MB' },
  ]
}

async function measurePages(stage: Stage): Promise<Row[]> {
  const service = await stage.startService(await stage.createHome())
  const { agentId, call, password } = await stage.createAccount(service)
  const { thread_id } = await call<{ thread_id: string }>('POST', `/agents/${agentId}/threads`)
  const browser = await startBrowser()
  try {
    const visits = [
      { name: 'sign-in', address: `${service.url}/login`, shows: 'input' },
      { name: 'chat', address: `${service.url}/chat/${agentId}/${thread_id}`, shows: 'main textarea' },
    ]
    const rows: Row[] = []
    for (const { name, address, shows } of visits) {
      let storageState = name === 'chat' ? await signIn(browser, service.url, password) : undefined
      const times: number[] = []
      for (let visit = 0; visit < VISITS; visit++) {
        const painted = await measurePaint(browser, address, { shows, storageState, isSlow: false })
        times.push(painted.painted)
        if (storageState) storageState = painted.storageState
      }
      const context = await browser.newContext({ storageState })
      const loads = await recordLoads(await context.newPage(), address, shows)
      await context.close()
      rows.push(
        { measure: `${name}, first paint`, value: median(times), unit: 'ms', note: spread(times) },
        { measure: `${name}, requests`, value: loads.length, unit: '' },
        { measure: `${name}, scripts`, value: ofKind(loads, '.js').bytes / 1000, unit: 'kB' },
      )
    }
    return rows
  } finally {
    await browser.close()
  }
}

const toRows = (measure: string, costs: Cost[]): Row[] => {
  const sum = (kind: keyof Cost) => costs.reduce((total, cost) => total + cost[kind], 0) / 1000
  return [{ measure, value: sum('wall'), unit: 's', note: `${sum('cpu').toFixed(1)} s of processor time` }]
}

/** Runs a command; one that serves a home is measured until the server listens, and then ended. */
async function measure(
  program: string,
  args: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
  home?: string,
): Promise<Cost> {
  const startCpu = readProcessorTime('self', 'ended children') ?? 0
  const startedAt = performance.now()
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const record = home && join(home, 'server.json')
  while (record && child.exitCode === null && !existsSync(record)) await sleep(5)
  const hasSucceeded = record !== undefined && existsSync(record)
  const wall = performance.now() - startedAt
  // Its processor time counts only if npm is there to see it end.
  if (hasSucceeded) process.kill(JSON.parse(await readFile(record, 'utf8')).pid, 'SIGTERM')
  await exited
  if (record ? !hasSucceeded : child.exitCode !== 0)
    throw new Error(
      `${program} ${args.join(' ')} ended with ${child.exitCode}: ${(await output).join('\n').slice(-2000)}`,
    )
  const cpu = (readProcessorTime('self', 'ended children') ?? 0) - startCpu
  return { wall: home ? wall : performance.now() - startedAt, cpu }
}

/** The environment of this process without the settings of npm and of the server. */
const environment = (more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|SVC_|NODE_OPTIONS)/.test(name)),
  ),
  ...more,
})

async function megabytes(folder: string): Promise<number> {
  const child = spawn('du', ['-sm', folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  return Number.parseInt(await text(child.stdout), 10)
}

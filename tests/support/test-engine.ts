import { join } from 'node:path'
import t from 'tap'
import { type Engine, joinEngine } from '../../kernel/database/engine.ts'
import { createHome } from './home.ts'

let engine: Promise<Engine> | undefined
let count = 0

/** The address of a new, empty database on the embedded engine that the tests of one file share. */
export async function createDatabaseUrl(): Promise<string> {
  engine ??= startEngine()
  const { uri } = await engine
  count += 1
  return uri.replace('/?', `/test-${count}?`)
}

async function startEngine(): Promise<Engine> {
  const home = createHome(t)
  const log = { info() {}, warn() {}, error() {} }
  const started = await joinEngine({
    directory: join(home, 'db'),
    runtimeDirectory: join(home, 'runtime'),
    log,
  })
  t.teardown(() => started.close())
  return started
}

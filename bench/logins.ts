import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, median, quantile } from './figure.ts'

const people = 20
const periodMs = 4000
const pauseMs = 5
/** Fewer than the failed attempts that lock a name. */
const triesEach = 3

/**
 * Measures the latency of a trivial request, alone and while 20 people sign in repeatedly, and the time to refuse a
 * wrong password for a known and for an unknown name.
 */
export const measureLogins: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { call } = await stage.createAccount(service)
  const names = Array.from({ length: people }, (_, index) => `person${index}`)
  const password = 'bench-password-1'
  for (const username of names) await call('POST', '/users', { username, password })

  const probe = async () => {
    const waits: number[] = []
    for (const end = performance.now() + periodMs; performance.now() < end; await sleep(pauseMs)) {
      const startedAt = performance.now()
      await call('GET', '/health/live')
      waits.push(performance.now() - startedAt)
    }
    return waits
  }
  await probe()
  const alone = await probe()

  let signedIn = 0
  let isRunning = true
  const loops = names.map(async (username) => {
    while (isRunning) {
      await call('POST', '/auth/login', { username, password })
      signedIn++
    }
  })
  const busy = await probe()
  isRunning = false
  const rate = signedIn / (periodMs / 1000)
  await Promise.all(loops)

  const refuse = async (username: string) => {
    const startedAt = performance.now()
    const { status } = await fetch(`${service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'wrong-password-1' }),
    })
    if (status !== 401) throw new Error(`a wrong password answered ${status}`)
    return performance.now() - startedAt
  }
  const existing: number[] = []
  const unknown: number[] = []
  for (let round = 0; round < triesEach; round++)
    for (const name of names) {
      existing.push(await refuse(name))
      unknown.push(await refuse(`no-${name}`))
    }

  const note = 'GET /health/live'
  return [
    { measure: 'sign-ins', value: rate, unit: '1/s', note: `${people} people at once` },
    { measure: 'wait alone, p50', value: median(alone), unit: 'ms', note },
    { measure: 'wait while they sign in, p50', value: median(busy), unit: 'ms', note },
    { measure: 'wait alone, p99', value: quantile(alone, 0.99), unit: 'ms', note },
    { measure: 'wait while they sign in, p99', value: quantile(busy, 0.99), unit: 'ms', note },
    { measure: 'wrong password, known name, p50', value: median(existing), unit: 'ms' },
    { measure: 'wrong password, unknown name, p50', value: median(unknown), unit: 'ms' },
  ]
}

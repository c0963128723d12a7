import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from '../run/file-test.ts'
import { onlyLong } from '../run/tier.ts'
import { runCommand } from '../support/kernel.ts'
import { ADMIN } from '../support/server.ts'
import { spawnService } from '../support/service-process.ts'

const MB = 1024 * 1024

/** Mounts a small file system in memory; returns undefined if that is not allowed. */
function mountSmall(t: Test, megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const mount = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]
  if (spawnSync('mount', mount).status !== 0) return undefined
  t.teardown(() => spawnSync('umount', ['-l', folder]))
  return folder
}

const readOnly = /^svc: the home \S+ is read-only \(\S+\); SVC_HOME chooses another folder\n$/

const freeOf = (folder: string) => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

t.test(
  'a full disk refuses writes, loses nothing that was acknowledged, and heals',
  { skip: onlyLong },
  async (t) => {
    const home = mountSmall(t, 700)
    if (!home) return t.pass('file systems cannot be mounted here')
    const env = { SVC_DISK_WARN_BELOW: '300mb', SVC_DISK_STOP_BELOW: '64mb' }
    const service = await spawnService(t, home, env)
    let token = ''
    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${service.url}/api${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text ? JSON.parse(text) : undefined }
    }
    const signIn = async () => {
      const { body } = await call('POST', '/auth/login', { username: 'admin', password: ADMIN.password })
      token = body.access_token
    }
    await signIn()
    const named: string[] = []
    const create = async (name: string) => {
      const { status } = await call('POST', '/agents', { name })
      if (status === 201) named.push(name)
      return status
    }
    t.equal(await create('before'), 201)

    const filler = join(home, 'filler')
    const fill = (left: number) => {
      rmSync(filler, { force: true })
      const size = Math.max(0, freeOf(home) - left)
      // On tmpfs a file takes its space when it is written.
      for (let written = 0; written < size; written += 8 * MB)
        writeFileSync(filler, Buffer.alloc(Math.min(8 * MB, size - written)), { flag: 'a' })
    }
    const health = () => call('GET', '/health')
    fill(200 * MB)
    await pause(1100)
    t.match((await health()).body, { status: 'degraded', disk: { low: true } })
    t.equal(await create('while low'), 201)

    fill(40 * MB)
    await pause(1100)
    t.match(await call('POST', '/agents', { name: 'refused' }), {
      status: 507,
      body: { error: { code: 'STORAGE_FULL' } },
    })
    t.equal((await call('GET', '/agents')).status, 200)
    await signIn()
    t.ok(token, 'signing in stays possible')

    try {
      fill(0)
    } catch (error) {
      t.match(error, { code: 'ENOSPC' })
    }
    await signIn()
    t.ok(token, 'signing in without any space')
    t.equal((await call('GET', '/agents')).status, 200)
    t.equal((await call('DELETE', '/agents/before')).status, 204)
    named.splice(named.indexOf('before'), 1)
    const checked = await runCommand(home, ['doctor'], { env })
    t.match(checked.stdout, /^FAIL +disk +\S+ \S+ of 700 MB are free; below 64mb/m)
    t.equal(checked.stdout.match(/^FAIL/gm)!.length, 1)
    const refused = await runCommand(home, ['user', 'create', 'zed'], { env, input: 'a-long-password-9\n' })
    t.match(refused.stderr, /^svc: [^\n]+\n$/)
    for (let n = 0; n < 20; n++) {
      t.ok([507, 503].includes((await call('POST', '/agents', { name: `full ${n}` })).status))
      t.equal((await call('GET', '/health/live')).status, 200)
    }
    rmSync(filler)
    for (let isBack = false; !isBack; await pause(100)) {
      const { status, body } = await health()
      isBack = status === 200 && body.status === 'ok'
    }
    t.equal(await create('after'), 201)
    const { body } = await call('GET', '/agents')
    const names = body.map(({ name }: { name: string }) => name)
    t.strictSame(
      named.filter((name) => !names.includes(name)),
      [],
    )
    await service.kill('SIGTERM')

    spawnSync('mount', ['-o', 'remount,ro', home])
    const { code, stderr } = await runCommand(home, ['serve'], { env: { SVC_PORT: '0' } })
    t.equal(code, 1)
    t.match(stderr, readOnly)

    const empty = mountSmall(t, 1)!
    spawnSync('mount', ['-o', 'remount,ro', empty])
    const first = await runCommand(empty, ['serve'], { env: { SVC_PORT: '0' } })
    t.equal(first.code, 1)
    t.match(first.stderr, readOnly)
  },
)

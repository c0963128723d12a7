import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../run/file-test.ts'
import { chatUrl, connectChat, startChat, textOf } from '../support/chat.ts'
import { readRecipe } from '../support/readme.ts'
import { createHome } from '../support/server.ts'
import { readEvents } from '../support/sse.ts'

const HOST = 'agents.example.com'
const has = (command: string) => spawnSync(command, ['-v']).error === undefined

/** Returns a free port that no other server gets by chance, as systems choose theirs from 32768 on. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return port
  }
}

/** Runs a proxy; the returned function throws its last words if it has ended. */
function run(t: Test, command: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => child.kill('SIGKILL'))
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    words = (words + text).slice(-2000)
  })
  return () => {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${words}`)
  }
}

/** Starts nginx with the configuration of the page, and a certificate that it signed itself. */
function startNginx(t: Test, port: number, upstream: string) {
  const folder = createHome(t)
  const [certificate, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
  ]
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' })
  const site = readRecipe('nginx.conf')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace(HOST, 'localhost')
    .replace('/etc/ssl/svc/fullchain.pem', certificate)
    .replace('/etc/ssl/svc/privkey.pem', key)
    .replace('127.0.0.1:8088', upstream)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
     events {} http { access_log off; ${temporary.join(' ')} ${site} }`,
  )
  return run(t, 'nginx', ['-c', file, '-e', 'stderr'])
}

/** Starts Caddy with the configuration of the page, and certificates of an authority of its own. */
function startCaddy(t: Test, port: number, upstream: string) {
  const folder = createHome(t)
  const site = readRecipe('Caddyfile')
    .replace(`${HOST} {`, `https://localhost:${port} {\n\ttls internal\n\tbind 127.0.0.1`)
    .replace('127.0.0.1:8088', upstream)
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n${site}`)
  return run(t, 'caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  })
}

const proxies = { nginx: startNginx, caddy: startCaddy }
for (const [name, start] of Object.entries(proxies))
  t.test(`chat, event streams and addresses pass ${name}`, { skip: !has(name) }, async (t) => {
    const port = await freePort()
    const url = `https://localhost:${port}`
    const env = { SVC_TRUST_PROXY: 'true', SVC_PUBLIC_URL: url }
    const chat = await startChat(t, { env })
    const { server, agent_id } = chat
    const assertRunning = start(t, port, new URL(server.url).host)
    // The certificates are nobody's.
    const setting = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    t.teardown(() => {
      if (setting === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = setting
    })
    await eventually(`${name} answers`, () => {
      assertRunning()
      return fetch(`${url}/api/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    })

    const { token } = server.admin
    const socket = await connectChat(t, chatUrl(url, agent_id, token))
    const thread_id = await chat.createThread()
    const { frames } = await socket.ask({ thread_id, text: 'through the proxy' })
    t.equal(textOf(frames), 'through the proxy')

    const events = await readEvents(t, `${url}/api/events`, { token })
    t.equal(events.status, 200)
    await server.request('PATCH', `/agents/${agent_id}`, { body: { description: 'changed' } })
    t.match(await events.until((data) => data.agent_id === agent_id), { agent_id })
    events.leave()

    const wrong = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
      body: JSON.stringify({ username: 'admin', password: 'not-the-password-1' }),
    })
    t.equal(wrong.status, 401)
    const { body: rows } = await server.request('GET', '/admin/audit-log?limit=5')
    const [row] = rows.filter(({ status }: { status: number }) => status === 401)
    t.equal(row.ip, '127.0.0.1', 'the address that a client claims is not believed')
    await server.stop()
  })

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'
import type { ChannelFailure } from '#plugin-api'
import discord from '../../channels/discord/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeDiscord } from '../support/fake-discord.ts'
import { openChannel, settingsFor } from '../support/open-channel.ts'
import { createIdleLink, failureOf } from './channel-calls.ts'

const SECRET = 'päss-word'

/** Starts a proxy that connects to the host it is asked for, or refuses with the status of `refusal`. */
async function startProxy(t: Test) {
  const proxy = {
    address: '',
    refusal: '',
    isSilent: false,
    server: createServer(),
    asked: [] as { host: string; headers: IncomingHttpHeaders }[],
    ports: new Set<number>(),
  }
  const { server } = proxy
  server.listen(0, '127.0.0.1')
  server.on('connect', ({ url, headers }, socket) => {
    proxy.asked.push({ host: url!, headers })
    socket.on('error', () => {})
    if (proxy.isSilent) return void server.emit('silence')
    if (proxy.refusal) return void socket.end(`HTTP/1.1 ${proxy.refusal}\r\n\r\n`)
    const [host, port] = url!.split(':')
    const far = connect(Number(port), host, () => {
      proxy.ports.add(far.localPort!)
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      far.pipe(socket).pipe(far)
    })
    far.on('error', () => socket.destroy())
  })
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  proxy.address = `http://ann:${encodeURIComponent(SECRET)}@127.0.0.1:${port}`
  return proxy
}

t.test('everything goes through the proxy', async (t) => {
  const platform = await startFakeDiscord()
  t.teardown(platform.close)
  const proxy = await startProxy(t)
  const config = { ...platform.config, http_proxy: proxy.address }
  const opened = await openChannel(t, discord, platform, { config })
  const soon = AbortSignal.timeout(40_000)
  const bytes = new TextEncoder().encode('all of it')
  await platform.say({ text: 'by a proxy', file: { filename: 'a.txt', media_type: 'text/plain', bytes } })
  const { reference } = opened.received[0]!.files![0]!
  const content = await opened.connection.download!(reference, soon)
  t.equal((await buffer(content.bytes)).toString(), 'all of it')
  const file = { filename: 'b.txt', media_type: 'text/plain', bytes, key: 'K' }
  await opened.connection.sendFile!(opened.received[0]!.target, file, soon)
  t.match(platform.shown(), [{ file: { filename: 'b.txt' } }])

  const credentials = `Basic ${Buffer.from(`ann:${SECRET}`).toString('base64')}`
  const authorities = new Set(proxy.asked.map(({ headers }) => headers['proxy-authorization']))
  t.same(authorities, new Set([credentials]))
  platform.drop()
  await platform.say({ text: 'after a cut' })
  t.match(opened.received.at(-1), { text: 'after a cut' })
  t.same(opened.states, ['connecting', 'connected'])
  const direct = [...platform.peers].filter((port) => !proxy.ports.has(port))
  t.same(direct, [], 'no connection comes from elsewhere')
  await opened.close()
  t.equal(platform.connections(), 0)
})

t.test('why a proxy cannot be used', async (t) => {
  const platform = await startFakeDiscord()
  t.teardown(platform.close)
  const proxy = await startProxy(t)
  const settings = settingsFor(discord, platform, { ...platform.config, http_proxy: proxy.address })
  const failures: ChannelFailure[] = []
  const probe = async (http_proxy: string = proxy.address) => {
    const config = { ...platform.config, http_proxy }
    failures.push(await failureOf(discord.probe({ ...settings, config }, AbortSignal.timeout(40_000))))
  }
  for (proxy.refusal of ['407 Proxy Authentication Required', '502 Bad Gateway']) await probe()
  await probe(`http://ann:${encodeURIComponent(SECRET)}@127.0.0.1:1`)
  await probe(`http://ann:${encodeURIComponent(SECRET)}@10.1.2.3:3128`)
  t.match(failures, [
    { reason: 'invalid_credentials' },
    { reason: 'unreachable', message: /502/ },
    { reason: 'unreachable', message: /ECONNREFUSED/ },
    { reason: 'forbidden' },
  ])
  const shown = failures.map((error) => inspect(error, { depth: 9, showHidden: true })).join('')
  t.notMatch(shown, /päss|p%C3|ann:/)
  t.throws(() => discord.check?.({ ...platform.config, http_proxy: 'proxy:3128' }), {
    name: 'ChannelFailure',
    message: /http:\/\//,
  })
})

t.test('the gateway is reached through the proxy, by TLS as well', async (t) => {
  const platform = await startFakeDiscord()
  t.teardown(platform.close)
  const proxy = await startProxy(t)
  const config = { ...platform.config, http_proxy: proxy.address }
  const open = () => failureOf(openChannel(t, discord, platform, { config }))

  const folder = t.testdir()
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1']
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' })
  const site = createSecureServer({ key: readFileSync(key), cert: readFileSync(certificate) })
  await once(site.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => void site.close())
  const { port } = site.address() as AddressInfo
  platform.troubles.gatewayUrl = `wss://127.0.0.1:${port}/gateway`
  const failure = await open()
  t.match(failure, { reason: 'unreachable', message: /SELF_SIGNED/ }, 'the certificate is checked')
  t.equal(proxy.asked.at(-1)!.host, `127.0.0.1:${port}`)

  delete platform.troubles.gatewayUrl
  platform.troubles.onGateway = () => {
    proxy.isSilent = true
  }
  const abort = new AbortController()
  const waiting = failureOf(
    discord.open(settingsFor(discord, platform, config), createIdleLink(abort.signal)),
  )
  await once(proxy.server, 'silence')
  abort.abort(new Error('no longer wanted'))
  t.match(await waiting, { message: 'no longer wanted' }, 'a proxy that says nothing is not waited for')
  proxy.isSilent = false

  platform.troubles.onGateway = () => {
    proxy.refusal = '403 Forbidden'
  }
  t.match(await open(), { reason: 'unreachable', message: /refused to connect to Discord with status 403/ })
})

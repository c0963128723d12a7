import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { createGuardedFetch } from '#kernel'
import t, { type Test } from '../../run/file-test.ts'
import { startServer, type TestReply } from '../../support/server.ts'
import { startReceiver } from '../../support/webhook-receiver.ts'

const server = await startServer(t, {
  config: { plugins: { webhooks: { allow_hosts: ['127.0.0.1', 'localhost'] } } },
})

/** Tests a webhook with this address; returns the delivery. */
const attempt = async (url: string): Promise<TestReply['body']> => {
  const { id } = await server.call('POST', '/webhooks', { url, events: ['turn.ended'], enabled: false })
  const delivery = await server.call('POST', `/webhooks/${id}/test`)
  await server.call('DELETE', `/webhooks/${id}`)
  return delivery
}

/** Starts a server that writes this to each connection, and then leaves it open or ends it. */
const startRaw = async (t: Test, text: string, after: 'end' | 'wait') => {
  const raw = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => (after === 'end' ? socket.end(text) : socket.write(text)))
  })
  raw.listen(0, '127.0.0.1')
  await once(raw, 'listening')
  t.teardown(() => raw.close())
  return `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`
}

const timeout = { status: 'failed', response_status: null, error: { code: 'WEBHOOK_TIMEOUT' } }
const unreachable = { status: 'failed', response_status: null, error: { code: 'WEBHOOK_UNREACHABLE' } }

t.test('A receiver that never answers, or not to the end of its headers, is given up', async (t) => {
  const [silent, slow] = await Promise.all([
    startRaw(t, '', 'wait'),
    startRaw(t, 'HTTP/1.1 200 OK\r\nx-header: ', 'wait'),
  ])
  const [one, other] = await Promise.all([attempt(silent), attempt(slow)])
  t.match(one, timeout)
  t.match(other, timeout)
  t.match(one.error.message, /within 10 seconds/)
})

t.test('The status is enough: of a body that is slow, huge or cut, nothing is awaited', async (t) => {
  const receiver = await startReceiver(t)
  const answers: Record<string, (response: ServerResponse) => void> = {
    slow(response) {
      response.writeHead(200, { 'content-length': '1000000' })
      const writing = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(writing))
    },
    huge(response) {
      response.writeHead(200)
      const chunk = Buffer.alloc(1024 * 1024)
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        response.once('drain', write)
      }
      write()
    },
    cut(response) {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('x', () => response.destroy())
    },
  }
  for (const [name, answer] of Object.entries(answers)) {
    receiver.answer = (_, response) => {
      answer(response)
      return undefined
    }
    t.match(await attempt(receiver.url), { status: 'delivered', response_status: 200 }, name)
  }
})

t.test('A receiver that closes in the middle, is not there, or speaks something else', async (t) => {
  t.match(await attempt(await startRaw(t, 'HTTP/1.1 20', 'end')), unreachable)
  t.match(await attempt(await startRaw(t, '', 'end')), unreachable)
  t.match(await attempt(await startRaw(t, 'SSH-2.0-x\r\n', 'end')), unreachable)
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`
  closed.close()
  t.match(await attempt(url), { ...unreachable, error: { message: /ECONNREFUSED/ } })
})

/** Makes a certificate that it signs itself. */
const makeCertificate = (t: Test) => {
  const folder = t.testdir()
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1']
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' })
  return { key: readFileSync(key), cert: readFileSync(certificate) }
}

t.test('A certificate that nobody vouches for is refused', async (t) => {
  let requests = 0
  const secure = createSecureServer(makeCertificate(t), (_, response) => {
    requests += 1
    response.end()
  })
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  t.teardown(() => secure.close())
  const delivery = await attempt(`https://localhost:${(secure.address() as AddressInfo).port}/`)
  t.match(delivery, { ...unreachable, error: { message: /SELF_SIGNED|CERT|UNABLE/ } })
  t.equal(requests, 0)
})

t.test('A name that is a private address only later is refused when it is sent to', async (t) => {
  const receiver = await startReceiver(t)
  let address = '93.184.215.14'
  const lookup = ((_: string, __: object, callback: (error: null, addresses: object[]) => void) =>
    callback(null, [{ address, family: 4 }])) as never
  const guarded = createGuardedFetch({ allowHosts: [], lookup })
  t.teardown(() => guarded.close())
  const url = `http://rebinding.example:${receiver.port}/`
  await guarded.assertAllowed(url)
  address = '127.0.0.1'
  await t.rejects(guarded.fetch(url, { method: 'POST', redirect: 'manual' }), { code: 'ADDRESS_NOT_ALLOWED' })
  t.equal(receiver.requests.length, 0)
})

import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  type ECDH,
  randomBytes,
  verify,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import type { Test } from '../run/file-test.ts'

/** A subscription as a browser writes it. */
export interface FakeSubscription {
  endpoint: string
  keys: { p256dh: string; auth: string }
}

/** A message as the browser of a subscription reads it. */
export interface ReceivedPush {
  endpoint: string
  // biome-ignore lint/suspicious/noExplicitAny: the payload is what the test expects
  payload: any
  headers: Record<string, string>
  /** The claims of the signed token that names the sender (RFC 8292), and its public key. */
  sender: { aud: unknown; sub: unknown; public_key: string }
}

/** A push service with its browsers. */
export interface FakePush {
  received: ReceivedPush[]
  /** Makes the subscription of a browser. */
  subscribe(): FakeSubscription
  /** Answers the next messages to an endpoint with this status. */
  answer(endpoint: string, status: number, times?: number): void
  /** Holds answers until the returned function is called. */
  hold(): () => void
  /** Waits for a message that fits, past or future. */
  until(accept: (push: ReceivedPush) => boolean): Promise<ReceivedPush>
}

interface Receiver {
  ecdh: ECDH
  auth: Buffer
}

/** Starts a push service on this machine: it checks its sender and decrypts with the keys of the browser (RFC 8291). */
export async function startFakePush(t: Test): Promise<FakePush> {
  const browsers = new Map<string, Receiver>()
  const statuses = new Map<string, number[]>()
  const received: ReceivedPush[] = []
  let held: Promise<void> = Promise.resolve()

  const server = createServer(async (request, response) => {
    const endpoint = `${url}${request.url}`
    const browser = browsers.get(endpoint)
    const body = await buffer(request)
    await held
    const status = browser ? (statuses.get(endpoint)?.shift() ?? 201) : 404
    if (browser && status === 201)
      try {
        const headers = request.headers as Record<string, string>
        const payload = JSON.parse(decrypt(body, browser))
        received.push({ endpoint, payload, headers, sender: readSender(headers, url) })
      } catch (error) {
        t.fail('a message could not be read', { error })
      }
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    received,
    subscribe() {
      const ecdh = createECDH('prime256v1')
      const p256dh = ecdh.generateKeys('base64url')
      const auth = randomBytes(16)
      const endpoint = `${url}/send/${randomBytes(16).toString('base64url')}`
      browsers.set(endpoint, { ecdh, auth })
      return { endpoint, keys: { p256dh, auth: auth.toString('base64url') } }
    },
    answer: (endpoint, status, times = 1) =>
      void statuses.set(endpoint, [...(statuses.get(endpoint) ?? []), ...Array(times).fill(status)]),
    hold() {
      let release = () => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    until: (accept) => eventually('a notification', async () => received.find(accept)),
  }
}

/** Verifies the token of the sender with the key that comes with it. */
function readSender({ authorization = '' }: Record<string, string>, audience: string) {
  const [, token = '', public_key = ''] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(authorization) ?? []
  const point = Buffer.from(public_key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' })
  const [head = '', claims = '', signature = ''] = token.split('.')
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  if (!isSigned || aud !== audience || exp * 1000 < Date.now()) throw new Error('the sender is not known')
  return { aud, sub, public_key }
}

const hmac = (key: Buffer, ...parts: Buffer[]) =>
  parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest()

const info = (text: string, ...parts: Buffer[]) =>
  Buffer.concat([Buffer.from(`${text}\0`), ...parts, Buffer.from([1])])

/** Decrypts a message of one record (RFC 8188, aes128gcm) with keys that are derived as RFC 8291 says. */
function decrypt(body: Buffer, { ecdh, auth }: Receiver): string {
  const salt = body.subarray(0, 16)
  const keyLength = body[20]!
  const senderKey = body.subarray(21, 21 + keyLength)
  const record = body.subarray(21 + keyLength)
  const shared = hmac(auth, ecdh.computeSecret(senderKey))
  const input = hmac(shared, info('WebPush: info', ecdh.getPublicKey(), senderKey))
  const seed = hmac(salt, input)
  const key = hmac(seed, info('Content-Encoding: aes128gcm')).subarray(0, 16)
  const nonce = hmac(seed, info('Content-Encoding: nonce')).subarray(0, 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16))
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  return text.subarray(0, text.lastIndexOf(2)).toString()
}

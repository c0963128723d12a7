import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findErrorCode, findNetworkFailure, listCauses } from '../../plugin-api/toolbox/index.ts'
import t from '../run/file-test.ts'

const coded = (code: unknown, cause?: unknown) => Object.assign(new Error('no words', { cause }), { code })

const BY_REASON = {
  timeout: ['ETIMEDOUT', 'ETIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'],
  unreachable: ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'EPROTO', 'UND_ERR_SOCKET'],
  insecure: ['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  address_not_allowed: ['ADDRESS_NOT_ALLOWED'],
}

t.test('network errors are classified by their code, also that of a cause', async (t) => {
  for (const [reason, codes] of Object.entries(BY_REASON))
    for (const code of codes) {
      t.same(findNetworkFailure(coded(code)), { reason, code })
      t.same(findNetworkFailure(new TypeError('fetch failed', { cause: coded(code) })), { reason, code })
    }
  for (const code of ['ENOENT', 'EACCES', 'not_found', 23, undefined])
    t.equal(findNetworkFailure(coded(code)), undefined, String(code))
  for (const thrown of [undefined, null, 'ECONNREFUSED', 5]) t.equal(findNetworkFailure(thrown), undefined)
})

t.test('the nearest cause decides, and a cycle of causes ends', async (t) => {
  t.equal(findNetworkFailure(coded('ECONNRESET', coded('ETIMEDOUT')))?.reason, 'unreachable')
  t.equal(findNetworkFailure(coded('ENOENT', coded('ETIMEDOUT')))?.reason, 'timeout')
  t.equal(findNetworkFailure(new AggregateError([coded('ENOENT'), coded('EPIPE')]))?.reason, 'unreachable')
  const cycle = new Error('a')
  cycle.cause = new Error('b', { cause: cycle })
  t.equal(listCauses(cycle).length, 2)
  t.equal(findNetworkFailure(cycle), undefined)
})

t.test('errors that fetch throws are classified', async (t) => {
  const server = createServer((req) => {
    if (req.url === '/cut') req.socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const errorOf = (path: string, signal?: AbortSignal) =>
    fetch(url + path, { signal }).then(
      () => undefined,
      (error: unknown) => error,
    )
  t.same(findNetworkFailure(await errorOf('/cut')), { reason: 'unreachable', code: 'UND_ERR_SOCKET' })
  t.same(findNetworkFailure(await errorOf('/held', AbortSignal.timeout(5))), { reason: 'timeout' })
  t.equal(findNetworkFailure(await errorOf('/held', AbortSignal.abort())), undefined)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  t.same(findNetworkFailure(await errorOf('/')), { reason: 'unreachable', code: 'ECONNREFUSED' })
})

t.test('only codes that look like those of a system are passed on', async (t) => {
  t.equal(findErrorCode(coded('a secret', coded('ERR_CANCELED'))), 'ERR_CANCELED')
  for (const code of ['a secret', 'E', 'E'.repeat(80), 23]) t.equal(findErrorCode(coded(code)), undefined)
})

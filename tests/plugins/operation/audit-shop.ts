import type { AuditDocument, AuditHeadDocument } from '../../../plugins/operation/audit/documents.ts'
import type { Test } from '../../run/file-test.ts'
import { pluginSource, runCommand } from '../../support/kernel.ts'
import { ADMIN, startServer, type TestServer } from '../../support/server.ts'

/** A plugin whose routes use no collection and accept any body without secrets, and which has a mutating command. */
const shop = pluginSource(
  'shop',
  `
  const any = (depth) => ({
    type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
    ...(depth ? { items: any(depth - 1), additionalProperties: any(depth - 1) } : {}),
  })
  host.routes([
    { method: 'POST', path: '/shop', summary: 'Buy', guard: 'public', audit: 'shop.buy', body: any(6),
      response: { 204: null }, handler: () => undefined },
    { method: 'PUT', path: '/shop/:id', summary: 'Put', guard: 'public', audit: 'shop.put',
      response: { 204: null }, handler: () => undefined },
    { method: 'DELETE', path: '/shop', summary: 'Close', guard: 'admin', audit: 'shop.close',
      response: { 204: null }, handler: () => undefined },
  ])
  host.command({ name: 'shop stamp', summary: 'Stamp', arguments: [{ name: 'what', summary: 'what' }],
    audit: 'shop.stamp', run: ({ args }) => (args[0] === 'nothing' ? 3 : 0) })`,
  "depends: ['auth'],",
)

/** Starts a server with the shop; the first row of its log is the administrator's login. */
export async function startShop(
  t: Test,
  options: Parameters<typeof startServer>[1] = {},
): Promise<TestServer> {
  const server = await startServer(t, { ...options, plugins: { shop } })
  await server.login(ADMIN.username, ADMIN.password)
  return server
}

/** Calls the shop with a request id that its row can be found by; returns the status. */
export async function buy(server: TestServer, request_id: string, body: unknown = {}): Promise<number> {
  const headers = { 'x-request-id': request_id }
  return (await server.request('POST', '/shop', { body, headers })).status
}

export const logOf = ({ db }: TestServer) => db.collection<AuditDocument>('audit_log')
export const headOf = ({ db }: TestServer) => db.collection<AuditHeadDocument>('audit_head')

/** Reads all stored rows, in order. */
export const rowsOf = (server: TestServer) => logOf(server).find().sort({ _id: 1 }).toArray()

/** Runs `svc` on the server's home and database. */
export function run({ home, server }: TestServer, ...args: string[]) {
  const { url } = server.runtime.blueprint.config.values.database
  return runCommand(home, args, { env: url ? { SVC_DATABASE_URL: url } : {} })
}

/** Runs `svc admin audit --verify`. */
export async function verify(server: TestServer) {
  const { code, stdout, stderr } = await run(server, 'admin', 'audit', '--verify', '--json')
  if (stdout === '') throw new Error(stderr)
  return { code, ...JSON.parse(stdout) }
}

/** Asserts that the log is intact and has this many rows, with each of these request ids once. */
export async function assertOnce(t: Test, server: TestServer, request_ids: readonly string[]) {
  const rows = await rowsOf(server)
  const expectedIds = new Set(request_ids)
  const storedIds = rows.map((row) => row.request_id).filter((id) => id !== null && expectedIds.has(id))
  t.same(storedIds.sort(), [...expectedIds].sort(), 'each call has one row')
  t.same(
    rows.map(({ _id }) => _id),
    rows.map((_, index) => index + 1),
    'the numbers have no gaps',
  )
  t.match(await verify(server), { code: 0, whole: true, rows: rows.length, hash: rows.at(-1)!.hash })
}

import type { InviteDocument } from '../../../plugins/identity/invites/invite.ts'
import type { TestReply, TestServer } from '../../support/server.ts'

/** The settings of a server that trusts a proxy for the addresses of clients. */
export const BEHIND_PROXY = { SVC_TRUST_PROXY: '1' }

/** A plugin with permissions to grant. */
export const garden = `
const permission = (key, text = { en: key, zh: key }) => ({ key, category: 'garden', label: text, description: text })
export default {
  kernel: 1,
  name: 'garden', summary: 'Has permissions', setup() {},
  permissions: [permission('digging'), permission('mowing')],
}`

/** Creates an invite; returns the body of the reply. */
export const invite = (server: TestServer, body: object = {}, token?: string) =>
  server.call('POST', '/users/invites', body, token)

let strangers = 0

/** Returns an address that has made no calls yet. */
const newAddress = () => {
  strangers++
  return `198.18.${strangers >> 8}.${strangers & 255}`
}

const call = (server: TestServer, action: string, body: object, ip = newAddress()) =>
  server.request('POST', `/auth/invite/${action}`, { token: null, body, headers: { 'x-forwarded-for': ip } })

/** Validates a code. */
export const validate = (server: TestServer, code: string, ip?: string) =>
  call(server, 'validate', { code }, ip)

/** Redeems a code; the default password is `<username>-secret-1`. */
export const redeem = (
  server: TestServer,
  code: string,
  username: string,
  { ip, ...more }: { ip?: string; password?: string; display_name?: string; cookie?: boolean } = {},
) => call(server, 'redeem', { code, username, password: `${username}-secret-1`, ...more }, ip)

/** Reads an invite as user managers see it. */
export async function find(server: TestServer, { id }: { id: string }) {
  const { body } = await server.request('GET', '/users/invites')
  return body.find((row: { id: string }) => row.id === id)
}

/** Revokes an invite. */
export const revoke = (server: TestServer, { id }: { id: string }) =>
  server.request('POST', `/users/invites/${id}/revoke`)

/** The collection of invites. */
export const stored = ({ db }: TestServer) => db.collection<InviteDocument>('invites')

/** Returns the status and code of a refusal. */
export const refusal = ({ status, body }: TestReply) => [status, body.error?.code]

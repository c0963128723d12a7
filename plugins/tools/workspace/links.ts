import { AppError } from '#plugin-api'
import { findReadable, openContent, toPath } from './file-access.ts'
import { BINARY, linkBody, linkedParams, linkedQuery, linkRow } from './file-schemas.ts'
import { type Cradle, route } from './manifest.ts'

/** A linked file of an agent's workspace; the link works while this user may read the file. */
interface LinkedFile {
  agent_id: string
  user_id: string
  path: string
  /** Unix seconds. */
  expires_at: number
}

/** Links to single files, valid on any server with the same secret key. */
export type FileLinks = ReturnType<typeof createFileLinks>

const PURPOSE = 'workspace.link'

/** Creates the service. */
export function createFileLinks({ clock, secrets, server }: Pick<Cradle, 'clock' | 'secrets' | 'server'>) {
  const read = (token: string): LinkedFile | undefined => {
    try {
      return JSON.parse(secrets.open(token, PURPOSE))
    } catch {
      // The token was not sealed with our key.
      return undefined
    }
  }
  return {
    make(file: LinkedFile): string {
      const token = secrets.seal(JSON.stringify(file), PURPOSE)
      return `${server.public_url?.replace(/\/+$/, '') ?? ''}/api/agents/${file.agent_id}/files/linked?token=${token}`
    },

    /** Throws LINK_INVALID if the token is not a link to a file of this agent, or has expired. */
    open(agent_id: string, token: string): LinkedFile {
      const file = read(token)
      if (!file || file.agent_id !== agent_id || file.expires_at <= clock.seconds())
        throw new AppError('LINK_INVALID')
      return file
    },
  }
}

/** The routes of links to files. */
export const linkRoutes = [
  route({
    method: 'POST',
    path: '/agents/:id/files/link',
    operation_id: 'createFileLink',
    summary: 'Create a link to a file',
    description:
      'Returns an address with which everybody can read this one file without signing in, until the link expires or its creator may no longer read the file. A link cannot be revoked, so choose a short time.',
    guard: 'agent',
    body: linkBody,
    response: { 201: linkRow },
    errors: ['NOT_FOUND', 'FILE_UNUSABLE'],
    audit: 'file.link',
  }).handle(async ({ agent, caller, body }, services) => {
    const location = await findReadable({ agent, caller }, body.path, services)
    const { file } = await openContent(location, { inline: false })
    await file.close()
    const expires_at = services.clock.seconds() + body.expires_in_seconds
    const linked = { agent_id: agent._id, user_id: caller.id, path: toPath(location), expires_at }
    return { url: services.fileLinks.make(linked), expires_at }
  }),

  route({
    method: 'GET',
    path: '/agents/:id/files/linked',
    operation_id: 'readLinkedFile',
    summary: 'Read the file of a link',
    description:
      'Sends the file that `createFileLink` has made the link for. The token in the address is all that is needed; the link stops working when it expires, when the file is gone, or when its creator may no longer read the file. It supports `Range` and `If-None-Match`.',
    guard: 'public',
    query: linkedQuery,
    stream: 'file',
    response: { 200: BINARY },
    params: linkedParams,
    errors: ['HEADERS_TOO_LARGE', 'LINK_INVALID', 'AGENT_NOT_FOUND', 'NOT_FOUND', 'FILE_UNUSABLE'],
  }).handle(async ({ params, query }, services) => {
    const { agent_id, user_id, path } = services.fileLinks.open(params.id, query.token)
    const user = await services.users.find(user_id)
    if (!user?.enabled) throw new AppError('LINK_INVALID')
    const caller = { id: user_id, role: user.role, groups: user.group_ids }
    const agent = await services.agents.findVisible(caller, agent_id)
    return openContent(await findReadable({ agent, caller }, path, services), {
      inline: Boolean(query.inline),
    })
  }),
]

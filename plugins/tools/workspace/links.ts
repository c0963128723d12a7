import { AppError } from '#kernel'
import type { Cradle } from './manifest.ts'

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

import { AppError } from '#kernel'
import type { Cradle } from './manifest.ts'

/** A linked file of an agent's workspace; its link works as long as this user may read the file. */
export interface LinkedFile {
  agent_id: string
  user_id: string
  path: string
  /** Unix seconds. */
  expires_at: number
}

/** Makes and opens links to single files, which any server with the same secret key honours. */
export interface FileLinks {
  make(file: LinkedFile): string
  /** Throws LINK_INVALID for a token that is not of a link to this agent's files, or no longer. */
  open(agent_id: string, token: string): LinkedFile
}

const PURPOSE = 'workspace.link'

/** Makes the service. */
export function createFileLinks({
  clock,
  secrets,
  server,
}: Pick<Cradle, 'clock' | 'secrets' | 'server'>): FileLinks {
  const read = (token: string): LinkedFile | undefined => {
    try {
      return JSON.parse(secrets.open(token, PURPOSE))
    } catch {
      // Whatever it is, it was not made here.
      return undefined
    }
  }
  return {
    make(file) {
      const token = secrets.seal(JSON.stringify(file), PURPOSE)
      return `${server.public_url?.replace(/\/+$/, '') ?? ''}/api/agents/${file.agent_id}/files/linked?token=${token}`
    },
    open(agent_id, token) {
      const file = read(token)
      if (!file || file.agent_id !== agent_id || file.expires_at <= clock.seconds())
        throw new AppError('LINK_INVALID')
      return file
    },
  }
}

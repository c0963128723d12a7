/** The address of a file of an agent's workspace, below the server's. */
export const fileUrl = (agent_id: string, path: string): string =>
  `/api/agents/${agent_id}/files/content?path=${encodeURIComponent(path)}`

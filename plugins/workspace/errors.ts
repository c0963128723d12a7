import type { ErrorTable } from '#kernel'

/** What is refused about workspaces. */
export const workspaceErrors: ErrorTable = {
  WORKSPACE_UNUSABLE: {
    status: 409,
    message: {
      en: "The agent's workspace cannot take the file: {reason}.",
      zh: '智能体的工作区无法保存该文件：{reason}。',
    },
  },
}

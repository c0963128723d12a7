import type { ErrorTable } from '#kernel'

/** The errors of workspaces. */
export const workspaceErrors = {
  WORKSPACE_UNUSABLE: {
    status: 409,
    message: {
      en: "The agent's workspace cannot store the file: {reason}.",
      zh: '智能体的工作区无法保存该文件：{reason}。',
    },
  },
  FILE_UNUSABLE: {
    status: 409,
    message: { en: 'The operation on the file failed: {reason}.', zh: '无法对该文件执行此操作：{reason}。' },
  },
  FILE_EXISTS: {
    status: 409,
    message: { en: 'A file or folder with this path already exists.', zh: '该路径已存在文件或文件夹。' },
  },
  DIRECTORY_NOT_EMPTY: {
    status: 409,
    message: { en: 'The folder is not empty.', zh: '该文件夹不为空。' },
  },
  ARCHIVE_TOO_LARGE: {
    status: 413,
    message: {
      en: 'An archive holds at most {max_files} files and {max_bytes} bytes. Choose a folder in it.',
      zh: '压缩包最多包含 {max_files} 个文件、{max_bytes} 字节，请选择其中的子文件夹。',
    },
  },
  LINK_INVALID: {
    status: 403,
    message: { en: 'The link is not valid or has expired.', zh: '链接无效或已过期。' },
  },
} satisfies ErrorTable

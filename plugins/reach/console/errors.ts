import type { ErrorTable } from '#kernel'

/** The errors of the console. */
export const consoleErrors = {
  CONSOLE_NOT_BUILT: {
    status: 503,
    level: 'warn',
    message: {
      en: 'The page is not built. Run "npm run build" in the folder of the server.',
      zh: '页面尚未构建。请在服务器目录中运行“npm run build”。',
    },
  },
} satisfies ErrorTable

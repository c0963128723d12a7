import type { ErrorTable } from '#plugin-api'

/** The errors of trajectories. */
export const trajectoryErrors = {
  BAD_EXPORT: {
    status: 422,
    message: {
      en: 'This is not an exported trajectory: {reason}.',
      zh: '这不是导出的轨迹文件：{reason}。',
    },
  },
} satisfies ErrorTable

import type { ErrorTable } from '#kernel'

/** The errors of the channels. */
export const channelErrors = {
  CHANNEL_KIND_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'This server has no channel kind “{kind}”: it is not installed, or it is switched off.',
      zh: '此服务器没有渠道类型“{kind}”：未安装或已停用。',
    },
  },
  CHANNEL_NAME_TAKEN: {
    status: 409,
    message: {
      en: 'This agent already has a channel named “{name}”.',
      zh: '该智能体已有名为“{name}”的渠道。',
    },
  },
  CHANNEL_QR_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'Channels of the kind “{kind}” cannot be set up by a QR code.',
      zh: '“{kind}”类渠道不支持扫码配置。',
    },
  },
  CHANNEL_QR_FAILED: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The platform returned no QR code ({reason}): {detail}',
      zh: '平台未能生成二维码（{reason}）：{detail}',
    },
  },
} satisfies ErrorTable

import type { ErrorTable } from '#kernel'

/** The errors of the channels. */
export const channelErrors = {
  CHANNEL_KIND_UNSUPPORTED: {
    status: 400,
    message: { en: '“{kind}” is not a known channel kind.', zh: '不支持的渠道类型“{kind}”。' },
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

import type { ErrorTable } from '#kernel'

/** The errors of connectors. */
export const connectorErrors = {
  CONNECTOR_KIND_UNSUPPORTED: {
    status: 400,
    message: { en: '“{kind}” is not a known connector kind.', zh: '不支持的连接器类型“{kind}”。' },
  },
  CONNECTOR_SIGN_IN_UNAVAILABLE: {
    status: 409,
    message: {
      en: 'Nobody can sign in to this connector: the server needs http.public_url, and the connector an address.',
      zh: '无法登录此连接器：服务器需要设置 http.public_url，且连接器必须有地址。',
    },
  },
  CONNECTOR_SIGN_IN_FAILED: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The sign-in could not begin: {detail}',
      zh: '无法开始登录：{detail}',
    },
  },
  CONNECTOR_MOVED: {
    status: 409,
    message: {
      en: 'The connector leads to {origin} now. Nothing was stored.',
      zh: '该连接器现已指向 {origin}，未保存任何内容。',
    },
  },
  CONNECTOR_NAME_TAKEN: {
    status: 409,
    message: {
      en: 'There already is a connector named “{name}”.',
      zh: '已有名为“{name}”的连接器。',
    },
  },
} satisfies ErrorTable

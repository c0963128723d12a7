import type { ErrorTable } from '#kernel'

const signInFailed = { status: 502, code: 'CONNECTOR_SIGN_IN_FAILED', level: 'warn' } as const

/** The errors of connectors. */
export const connectorErrors = {
  CONNECTOR_KIND_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'This server has no connector kind “{kind}”: it is not installed, or it is switched off.',
      zh: '此服务器没有连接器类型“{kind}”：未安装或已停用。',
    },
  },
  CONNECTOR_SIGN_IN_UNAVAILABLE: {
    status: 409,
    message: {
      en: 'Nobody can sign in to this connector: the server needs http.public_url, and the connector an address.',
      zh: '无法登录此连接器：服务器需要设置 http.public_url，且连接器必须有地址。',
    },
  },
  CONNECTOR_SIGN_IN_FAILED: {
    ...signInFailed,
    message: {
      en: 'The sign-in could not begin. Check the settings of the connector.',
      zh: '无法开始登录，请检查连接器的设置。',
    },
  },
  CONNECTOR_SIGN_IN_UNREACHABLE: {
    ...signInFailed,
    message: {
      en: 'The service to sign in with does not answer, or its address is not allowed. Try again later.',
      zh: '登录服务没有响应，或其地址不被允许。请稍后再试。',
    },
  },
  CONNECTOR_SIGN_IN_METADATA: {
    ...signInFailed,
    message: {
      en: 'The server does not describe a sign-in that can be used. Check the address of the connector, or enter a key among its headers.',
      zh: '该服务器没有可用的登录说明。请检查连接器的地址，或在请求头中填写密钥。',
    },
  },
  CONNECTOR_SIGN_IN_REGISTRATION: {
    ...signInFailed,
    message: {
      en: 'The service does not register this server as a client. Register one there, and enter its client id in the settings of the connector.',
      zh: '该服务未将本服务器注册为客户端。请在该服务中注册客户端，并在连接器设置中填写其客户端 ID。',
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
      en: 'A connector named “{name}” already exists.',
      zh: '已有名为“{name}”的连接器。',
    },
  },
} satisfies ErrorTable

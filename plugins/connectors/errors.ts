import type { ErrorTable } from '#kernel'

/** The errors of connectors. */
export const connectorErrors = {
  CONNECTOR_KIND_UNSUPPORTED: {
    status: 400,
    message: { en: '“{kind}” is not a known connector kind.', zh: '不支持的连接器类型“{kind}”。' },
  },
  CONNECTOR_NOT_FOUND: {
    status: 404,
    message: { en: 'There is no connector “{id}”.', zh: '没有连接器“{id}”。' },
  },
  CONNECTOR_NAME_TAKEN: {
    status: 409,
    message: {
      en: 'There already is a connector named “{name}”.',
      zh: '已有名为“{name}”的连接器。',
    },
  },
} satisfies ErrorTable

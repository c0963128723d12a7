import {
  type ConnectorKind,
  defineConnectorKind,
  type JSONSchema,
  type LocalizedText,
  objectOf,
} from '#plugin-api'
import { callSettings, callTimeOf, clientOf, clientSettings } from './mcp.ts'

/** A well-known server: its address, and the credentials that it takes instead of a sign-in. */
interface Preset {
  kind: string
  label: string
  description: LocalizedText
  url: string
  documentation: string
  /** The fields with credentials, and the value of `Authorization` that they make; undefined if they are incomplete. */
  credentials?: {
    fields: Record<string, JSONSchema>
    authorizationOf(config: Readonly<Record<string, unknown>>): string | undefined
  }
}

const secret = (description: string) =>
  ({
    type: 'string',
    minLength: 1,
    maxLength: 4096,
    pattern: '^[\\x21-\\x7e]*$',
    writeOnly: true,
    description,
  }) as const

/** A token that is sent as it is. */
const bearer = (description: string): Preset['credentials'] => ({
  fields: { token: secret(description) },
  authorizationOf: ({ token }) => (token === undefined ? undefined : `Bearer ${token}`),
})

/** The addresses and ways of signing in as the vendors document them; each page is named. */
const PRESETS: readonly Preset[] = [
  {
    kind: 'github',
    label: 'GitHub',
    description: {
      en: 'Repositories, issues and pull requests. GitHub does not register clients automatically: enter the client of an OAuth app, or a personal access token.',
      zh: '代码仓库、议题和拉取请求。GitHub 不会自动注册客户端：请填写 OAuth 应用的客户端，或个人访问令牌。',
    },
    url: 'https://api.githubcopilot.com/mcp/',
    documentation: 'https://github.com/github/github-mcp-server',
    credentials: bearer('A personal access token, instead of a sign-in'),
  },
  {
    kind: 'notion',
    label: 'Notion',
    description: { en: 'Pages and databases of a workspace.', zh: '工作区中的页面和数据库。' },
    url: 'https://mcp.notion.com/mcp',
    documentation: 'https://developers.notion.com/docs/mcp',
  },
  {
    kind: 'linear',
    label: 'Linear',
    description: { en: 'Issues, projects and comments.', zh: '议题、项目和评论。' },
    url: 'https://mcp.linear.app/mcp',
    documentation: 'https://linear.app/docs/mcp',
    credentials: bearer('An API key, instead of a sign-in'),
  },
  {
    kind: 'sentry',
    label: 'Sentry',
    description: { en: 'Errors and performance of applications.', zh: '应用程序的错误和性能。' },
    url: 'https://mcp.sentry.dev/mcp',
    documentation: 'https://docs.sentry.io/product/sentry-mcp/',
  },
  {
    kind: 'atlassian',
    label: 'Atlassian',
    description: {
      en: 'Jira and Confluence. API tokens work only if an administrator of the organization allows them.',
      zh: 'Jira 与 Confluence。仅当组织管理员允许时才能使用 API 令牌。',
    },
    url: 'https://mcp.atlassian.com/v1/mcp',
    documentation: 'https://developer.atlassian.com/cloud/rovo-mcp/guides/authentication-and-authorization/',
    credentials: {
      fields: {
        email: {
          type: 'string',
          minLength: 3,
          maxLength: 254,
          pattern: '^[^\\s:]+@[^\\s:]+$',
          description: 'The account that an API token belongs to',
          examples: ['ada@example.com'],
        },
        token: secret('An API token of this account, instead of a sign-in'),
      },
      authorizationOf: ({ email, token }) =>
        email === undefined || token === undefined
          ? undefined
          : `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`,
    },
  },
  {
    kind: 'stripe',
    label: 'Stripe',
    description: {
      en: 'Customers, payments and documentation. If you use a key, prefer a restricted one.',
      zh: '客户、付款以及文档。若使用密钥，建议用受限密钥。',
    },
    url: 'https://mcp.stripe.com',
    documentation: 'https://docs.stripe.com/mcp',
    credentials: bearer('An API key, instead of a sign-in'),
  },
  {
    kind: 'cloudflare',
    label: 'Cloudflare',
    description: { en: 'The whole API of Cloudflare.', zh: 'Cloudflare 的全部 API。' },
    url: 'https://mcp.cloudflare.com/mcp',
    documentation:
      'https://developers.cloudflare.com/agents/model-context-protocol/mcp-servers-for-cloudflare/',
    credentials: bearer('An API token, instead of a sign-in'),
  },
]

const toKind = ({ kind, label, description, url, documentation, credentials }: Preset): ConnectorKind =>
  defineConnectorKind({
    kind,
    label: { en: label, zh: label },
    description,
    preset: { url, documentation },
    auth: 'oauth',
    config_schema: objectOf({ ...credentials?.fields, ...clientSettings, ...callSettings }),
    target: (config) => {
      const Authorization = credentials?.authorizationOf(config)
      return {
        transport: 'http',
        url,
        ...(Authorization !== undefined && { headers: { Authorization } }),
        ...clientOf(config),
        ...callTimeOf(config),
      }
    },
  })

/** Well-known servers on the internet, each with its address and its way of signing in. */
export const presets: readonly ConnectorKind[] = PRESETS.map(toKind)

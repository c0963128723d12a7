import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'accounts',
  summary:
    'The routes and commands with which account managers administer accounts, and the catalog of permissions',
  tag: {
    name: 'Accounts',
    order: 90,
    description: 'Accounts and their permissions, for account managers.',
  },
  depends: ['users', 'auth'],
  errors: {
    IMPORT_NOT_UTF8: {
      status: 422,
      message: {
        en: 'The file is not encoded in UTF-8. In Excel, save it as "CSV UTF-8".',
        zh: '文件不是 UTF-8 编码。请在 Excel 中另存为“CSV UTF-8”。',
      },
    },
    IMPORT_HEADER_INVALID: {
      status: 422,
      message: {
        en: 'The first row must name the columns: username, and as needed display_name, email, groups, password. The details list the names that are missing, unknown or repeated.',
        zh: '第一行必须是列名：username，以及可选的 display_name、email、groups、password。详细信息中列出了缺少、未知或重复的列名。',
      },
    },
    IMPORT_DAMAGED: {
      status: 422,
      message: {
        en: 'The quotes in row {row} do not match.',
        zh: '第 {row} 行的引号不匹配。',
      },
    },
    IMPORT_TOO_LONG: {
      status: 413,
      message: {
        en: 'A file may have at most {limit} rows. Divide it into several files.',
        zh: '文件最多可包含 {limit} 行，请拆分为多个文件。',
      },
    },
    USERNAME_REPEATED: {
      status: 409,
      message: {
        en: 'This username is already in row {row} of the file.',
        zh: '该用户名已出现在文件的第 {row} 行。',
      },
    },
    PASSWORD_LINK_INVALID: {
      status: 410,
      message: {
        en: 'This link has been used or has expired. Ask an administrator for a new password.',
        zh: '该链接已被使用或已过期，请联系管理员重置密码。',
      },
    },
    GRANT_EXCEEDS: {
      status: 403,
      code: 'FORBIDDEN',
      message: {
        en: 'You can grant and revoke only permissions that you have yourself. The details list the missing ones.',
        zh: '您只能授予或收回自己拥有的权限，详细信息中列出了缺少的权限。',
      },
    },
    ACCOUNT_EXCEEDS: {
      status: 403,
      code: 'FORBIDDEN',
      message: {
        en: 'This account has permissions that you do not have. The details list them. Ask an administrator.',
        zh: '该账号拥有您没有的权限，详细信息中列出了缺少的权限。请联系管理员。',
      },
    },
    SELF_LIMITS: {
      status: 403,
      code: 'FORBIDDEN',
      message: {
        en: 'Only an administrator can change your token limit, budget or folder.',
        zh: '只有管理员才能修改您的 Token 限额、预算或文件夹。',
      },
    },
    ADMINISTRATOR_PROTECTED: {
      status: 403,
      code: 'FORBIDDEN',
      message: {
        en: 'Only administrators can manage other administrators.',
        zh: '只有管理员才能管理其他管理员。',
      },
    },
    SELF_DEMOTION: {
      status: 403,
      code: 'FORBIDDEN',
      message: {
        en: 'You cannot demote or disable your own account. Ask another administrator.',
        zh: '您不能降级或停用自己的账号，请联系其他管理员。',
      },
    },
    SELF_DELETION: {
      status: 403,
      code: 'FORBIDDEN',
      message: {
        en: 'You cannot delete your own account. Ask another account manager.',
        zh: '您不能删除自己的账号，请联系其他成员管理员。',
      },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    accounts: typeof manifest
  }
  interface ExtensionPoints {
    /** Lists the second factors of accounts, by the account's id; accounts without one may be left out. */
    'accounts.second_factors': (question: {
      user_ids: readonly string[]
    }) => Promise<ReadonlyMap<string, readonly string[]>>
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute

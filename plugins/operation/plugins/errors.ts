import type { ErrorTable } from '#plugin-api'

/** The errors of the administration of plugins. */
export const pluginErrors = {
  PLUGIN_KEPT_ON: {
    status: 409,
    message: {
      en: '"{name}" cannot be switched off: {reason}.',
      zh: '无法停用“{name}”：{reason}。',
    },
  },
  PLUGIN_NOT_LOADED: {
    status: 409,
    message: {
      en: '"{name}" was added or removed after the server had started. Restart the server first.',
      zh: '“{name}”是在服务器启动后添加或移除的，请先重启服务器。',
    },
  },
  SETTING_FIXED: {
    status: 409,
    message: {
      en: '"{path}" is set by {set_by} and cannot be changed here.',
      zh: '“{path}”由 {set_by} 指定，无法在此更改。',
    },
  },
  CONFIG_REFUSED: {
    status: 422,
    message: {
      en: 'The server would not start like this: {reason}',
      zh: '服务器无法以此配置启动：{reason}',
    },
  },
  CONFIG_UNREADABLE: {
    status: 409,
    message: {
      en: 'The configuration file must be repaired on the server first: {reason}',
      zh: '需要先在服务器上修复配置文件：{reason}',
    },
  },
  CONFIG_NOT_WRITABLE: {
    status: 409,
    message: {
      en: 'The server cannot write its configuration file ({reason}). Change it on the server.',
      zh: '服务器无法写入配置文件（{reason}），请在服务器上修改。',
    },
  },
  RESTART_REFUSED: {
    status: 409,
    message: {
      en: 'The server would not start again: {reason}',
      zh: '服务器将无法重新启动：{reason}',
    },
  },
  RESTART_UNSUPPORTED: {
    status: 409,
    message: {
      en: 'This process was not started by "svc serve" and cannot restart itself.',
      zh: '此进程不是由“svc serve”启动的，无法自行重启。',
    },
  },
  INSTALL_OFF: {
    status: 403,
    message: {
      en: 'Installing is off. Set plugins.plugins.install to true in config.json and restart, or use "svc plugin add".',
      zh: '未开启安装功能。请在 config.json 中将 plugins.plugins.install 设为 true 并重启，或使用“svc plugin add”。',
    },
  },
  INSTALL_BUSY: {
    status: 409,
    message: {
      en: 'Another package is being installed or removed. Try again in a moment.',
      zh: '正在安装或移除另一个软件包，请稍后重试。',
    },
  },
  INSTALL_FAILED: {
    status: 422,
    message: { en: 'Nothing was changed: {reason}', zh: '未做任何更改：{reason}' },
  },
  INSTALL_CODE_MISSING: {
    status: 403,
    code: 'TOTP_REQUIRED',
    message: {
      en: 'Enter the code of your authenticator app, or a recovery code.',
      zh: '请输入身份验证器应用中的验证码，或使用一个恢复码。',
    },
  },
  INSTALL_CODE_WRONG: {
    status: 400,
    code: 'TOTP_INVALID',
    message: {
      en: 'The code is invalid or was already used. Wait for the next code and check the clock of your device.',
      zh: '验证码无效或已被使用。请等待下一个验证码，并检查设备的时间是否准确。',
    },
  },
} satisfies ErrorTable

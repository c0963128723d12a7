import type { SlotContext } from '#plugin-api/console'

const WORDS = {
  en: {
    dictate: 'Dictate',
    finish: 'Finish dictation',
    cancel: 'Cancel dictation',
    transcribing: 'Transcribing…',
    limit: 'A dictation is at most 5 minutes long. Finish or cancel it.',
    silence: 'No words were recognized.',
    no_microphone: 'No microphone was found.',
    denied: 'The browser does not let this page use the microphone. Allow it in the settings of the page.',
    busy: 'The microphone cannot be used. Another program may be using it.',
    insecure: 'Browsers allow the microphone only at addresses with https:// or localhost.',
    read: 'Read aloud',
    stop: 'Stop reading',
    unplayable: 'The browser cannot play this audio.',
  },
  zh: {
    dictate: '语音输入',
    finish: '完成语音输入',
    cancel: '取消语音输入',
    transcribing: '正在转写…',
    limit: '单次语音输入最长 5 分钟，请完成或取消。',
    silence: '未识别到语音。',
    no_microphone: '未找到麦克风。',
    denied: '浏览器不允许此页面使用麦克风，请在网站设置中允许。',
    busy: '无法使用麦克风，可能正被其他程序占用。',
    insecure: '浏览器仅允许 https:// 或 localhost 地址使用麦克风。',
    read: '朗读',
    stop: '停止朗读',
    unplayable: '浏览器无法播放此音频。',
  },
} as const

/** The texts of a language. */
export const wordsOf = ({ locale }: Pick<SlotContext, 'locale'>): Record<keyof typeof WORDS.en, string> =>
  WORDS[locale]

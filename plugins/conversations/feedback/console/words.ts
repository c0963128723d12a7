import type { SlotContext } from '#plugin-api/console'
import type { Reason } from '../schemas.ts'

const en = {
  up: 'Good answer',
  down: 'Bad answer',
  thanks: 'Thank you. Administrators can read this question and answer.',
  removed: 'Rating removed',
  ask: 'What is wrong with this answer?',
  comment: 'Anything else? (optional)',
  send: 'Send',
  skip: 'Skip',
  note: 'Administrators can read your rating with this question and answer, even if you delete the conversation. To withdraw it, select the thumb again.',
  most: 'Choose at most 5 reasons.',
  title: 'Feedback',
  all: 'All ratings',
  ups: 'Good answers',
  downs: 'Bad answers',
  rating: 'Rating',
  agent: 'Agent',
  agents: 'All agents',
  from: 'From',
  to: 'To',
  download: 'Download',
  none: 'No ratings match.',
  more: 'Show more',
  question: 'Question',
  answer: 'Answer',
  details: 'Question and answer',
  failed: 'The ratings could not be loaded.',
}

const zh: typeof en = {
  up: '回答得好',
  down: '回答得不好',
  thanks: '谢谢。管理员可以查看此提问和回答。',
  removed: '已删除评价',
  ask: '这个回答有什么问题？',
  comment: '还有其他意见吗？（可选）',
  send: '提交',
  skip: '跳过',
  note: '即使您删除此对话，管理员仍可查看您的评价以及对应的提问和回答。如需撤回，请再次点击拇指图标。',
  most: '最多选择 5 个原因。',
  title: '回答评价',
  all: '全部评价',
  ups: '好评',
  downs: '差评',
  rating: '评价',
  agent: '智能体',
  agents: '全部智能体',
  from: '开始日期',
  to: '结束日期',
  download: '下载',
  none: '没有符合条件的评价。',
  more: '显示更多',
  question: '提问',
  answer: '回答',
  details: '提问和回答',
  failed: '无法加载评价。',
}

const REASONS: Record<SlotContext['locale'], Record<Reason, string>> = {
  en: {
    wrong: 'Wrong',
    incomplete: 'Incomplete',
    off_topic: 'Off topic',
    outdated: 'Outdated',
    unclear: 'Unclear',
    too_long: 'Too long',
    style: 'Style or tone',
    unsafe: 'Unsafe',
    other: 'Other',
  },
  zh: {
    wrong: '有错误',
    incomplete: '不完整',
    off_topic: '答非所问',
    outdated: '内容过时',
    unclear: '不清楚',
    too_long: '太长',
    style: '风格或语气',
    unsafe: '不安全',
    other: '其他',
  },
}

/** Returns the words of a language. */
export const wordsOf = (locale: SlotContext['locale']): typeof en => ({ en, zh })[locale]

/** Returns the reasons with their words, in the order of a form. */
export const listReasons = (locale: SlotContext['locale']): [Reason, string][] =>
  Object.entries(REASONS[locale]) as [Reason, string][]

/** Returns the word of a reason. */
export const nameReason = (locale: SlotContext['locale'], reason: Reason): string => REASONS[locale][reason]

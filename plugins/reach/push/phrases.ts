import { createPhrases } from '#plugin-api'

/** Returns a phrase of notifications in a language. */
export const say = createPhrases({
  approval: { en: '{agent} needs your approval', zh: '{agent} 需要您的批准' },
  question: { en: '{agent} has a question', zh: '{agent} 有一个问题' },
  sign_in: { en: '{agent} needs a sign-in', zh: '{agent} 需要您登录' },
  requests: { en: '{count} requests: {names}', zh: '{count} 项请求：{names}' },
  list_separator: { en: ', ', zh: '、' },
  approve: { en: 'Approve', zh: '批准' },
  deny: { en: 'Deny', zh: '拒绝' },
  not_sent: {
    en: 'Your decision could not be sent. Open the conversation to decide.',
    zh: '未能发送您的决定，请打开对话处理。',
  },
  answered: { en: '{agent} has answered.', zh: '{agent} 已回复。' },
  schedule_done: { en: 'Scheduled task finished: {title}', zh: '定时任务已完成：{title}' },
  schedule_failed: { en: 'Scheduled task failed: {title}', zh: '定时任务失败：{title}' },
  failed: { en: 'Failed: {title}', zh: '失败：{title}' },
  untitled: { en: 'New conversation', zh: '新对话' },
  approved: { en: 'Approved', zh: '已批准' },
  denied: { en: 'Denied', zh: '已拒绝' },
  continues: { en: '{agent} continues.', zh: '{agent} 将继续执行。' },
  decided: { en: 'Already decided', zh: '已处理' },
  decided_about: { en: '{agent} no longer waits for this decision.', zh: '{agent} 已不再等待此决定。' },
  not_running: { en: '{agent} is not running', zh: '{agent} 未在运行' },
  not_running_about: {
    en: 'Start the agent, then decide in the conversation.',
    zh: '请先启动智能体，再到对话中处理。',
  },
  test: { en: 'Notifications work', zh: '通知功能正常' },
  test_about: {
    en: 'You are notified here when an agent needs you or has finished.',
    zh: '当智能体需要您处理或已完成任务时，您会在此收到通知。',
  },
})

// profile.mjs 输出的文字。
export const text = {
  usage: '用法：node profile.mjs [--empty "NULL,N/A,-"] 文件.csv ...',
  brokenQuote: '引号没有配对',
  noHeader: '没有表头',
  facts: ({ rows, columns, encoding, separator }) =>
    `${rows} 行，${columns} 列，编码 ${encoding}，分隔符 ${separator}`,
  defects: ({ blank, ragged, repeated, examples }) =>
    `空行 ${blank} 行；单元格数与表头不符 ${ragged} 行${examples}；与前面某行完全相同 ${repeated} 行。`,
  tab: '制表符',
  rowsAt: (rows) => `（如第 ${rows.join('、')} 行）`,
  twice: (names) => `重复的列名：${names}`,
  head: '| 列 | 空值 | 不同值 | 类型 | 内容 | 不符合类型的值 |\n|---|---:|---:|---|---|---|',
  unnamed: (at) => `（第 ${at} 列）`,
  kinds: { number: '数值', date: '日期', code: '数字编码', text: '文本', none: '（全部为空）' },
  numbers: ({ min, median, mean, max, sum, negative, zero }) =>
    `最小 ${min}，中位数 ${median}，均值 ${mean}，最大 ${max}，合计 ${sum}；负数 ${negative} 个，零 ${zero} 个`,
  range: (first, last) => `${first} 至 ${last}`,
  lengths: (shortest, longest) => `${shortest} 至 ${longest} 个字符`,
  exceptions: ({ count, shown }) => `${count} 个，如 ${shown}`,
  atRow: (value, row) => `“${value}”（第 ${row} 行）`,
}

import type { TodoItem } from '../todo/todo-item.ts';

/**
 * Words that speak of verifying, testing, checking or reviewing. More languages than one are cheap here, and a check
 * that is not recognised is a false alarm. A checkout, a preview and the latest version are no checks.
 */
const CHECKS: readonly RegExp[] = [
  /\b(?:re-?)?(?:verif(?:y|ies|ied|ying|ication)|test(?:s|ed|ing|er)?|retest\w*|review(?:s|ed|ing|er)?)\b/i,
  /\b(?:type|spell|double|cross|re|fact|sanity|health)?-?check(?:s|ed|ing|er|list)?\b/i,
  /\b(?:unit|smoke|pen|load|e2e)?-?test(?:s|ed|ing)?\b|\b(?:py|vi)test\b|\be2e\b|\bQA\b/i,
  /^(?:validat(?:e|ing)|confirm(?:ing)?|mak(?:e|ing) sure|ensur(?:e|ing)|prov(?:e|ing))\b/i,
  /验证|驗證|测试|測試|检查|檢查|审查|審查|校验|校驗|核对|核對|复查|複查|审核|審核|评审|評審|确认|確認|检验|檢驗|核实|核實/,
  /テスト|検証|確認|レビュー|チェック|테스트|검증|확인|검토|리뷰/,
  /\b(?:über)?prüf|\btesten\b|\bverifizier|vérifi|\btester\b|\bcomprob|\bverific|\bprobar\b|\brevisar\b|провер|тест/i,
];

/** Whether the work on the item is itself a check of other work. */
export function isCheck({ content, activeForm }: Readonly<TodoItem>): boolean {
  return CHECKS.some((check) => check.test(content) || check.test(activeForm));
}

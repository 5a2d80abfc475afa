// The state of an ordering question: what is in the order, what is not. Pure, so that drag, buttons and tests use the same moves.

export interface Order {
  chosen: string[];
  pool: string[];
}

export const begun = (all: string[], answer: string[]): Order => {
  const chosen = answer.filter((id) => all.includes(id));
  return { chosen, pool: all.filter((id) => !chosen.includes(id)) };
};

/// `id` at `index` of the order, wherever it was.
export function placed(order: Order, id: string, index: number): Order {
  const chosen = order.chosen.filter((other) => other !== id);
  chosen.splice(Math.min(Math.max(index, 0), chosen.length), 0, id);
  return { chosen, pool: order.pool.filter((other) => other !== id) };
}

/// `id` out of the order, at the end of the rest.
export const dropped = (order: Order, id: string): Order => ({
  chosen: order.chosen.filter((other) => other !== id),
  pool: order.pool.includes(id) ? order.pool : [...order.pool, id],
});

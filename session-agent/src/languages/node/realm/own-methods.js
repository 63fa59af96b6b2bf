/** Copies an object's inherited methods to the object itself, so that a step cannot replace them by changing a prototype. */
export function ownMethods(object) {
  for (let at = Object.getPrototypeOf(object); at !== null; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) {
      const property = Object.getOwnPropertyDescriptor(at, key);
      if (typeof property.value !== 'function' || Object.hasOwn(object, key)) continue;
      Object.defineProperty(object, key, { ...property, configurable: true });
    }
  }
  return object;
}

// malloc, free, new and delete on the device: a linked list per thread, built and taken apart.
struct Node {
  int value;
  Node* next;
};

extern "C" __global__ void device_heap(int* out, int length) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  Node* head = nullptr;
  for (int i = 0; i < length + t % 3; ++i) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    if (node == nullptr) {
      out[t] = -1;
      return;
    }
    node->value = i * t;
    node->next = head;
    head = node;
  }
  int* squares = new int[length];
  for (int i = 0; i < length; ++i) squares[i] = i * i;
  int sum = 0;
  while (head != nullptr) {
    sum += head->value;
    Node* const next = head->next;
    free(head);
    head = next;
  }
  for (int i = 0; i < length; ++i) sum += squares[i];
  delete[] squares;
  out[t] = sum;
}

// More than the heap holds: malloc answers null.
extern "C" __global__ void too_much(unsigned long long bytes, int* out) {
  void* p = malloc(bytes);
  *out = p == nullptr;
  free(p);
}

extern "C" __global__ void frees_twice(int* out) {
  int* p = static_cast<int*>(malloc(16));
  *p = 5;
  *out = *p;
  free(p);
  free(p);
}

extern "C" __global__ void uses_freed(int* out) {
  volatile int* p = static_cast<volatile int*>(malloc(16));
  *p = 5;
  free(const_cast<int*>(p));
  *out = *p;
}

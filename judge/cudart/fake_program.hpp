#pragma once
// For this room's tests: the C interface as a program sees it (its own declarations, so that a changed signature shows), and a device
// that the test looks into.
#include <cstddef>

#include "judge/cudart/abi.hpp"
#include "judge/device/fake_device.hpp"

/// The device that choose_device() hands out in this test program; there is one, as there is one runtime.
warpbook::device::FakeDevice& fake_device();

extern "C" {
using warpbook::cudart::abi::Dim3;
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, Dim3*, Dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
unsigned __cudaPushCallConfiguration(Dim3, Dim3, std::size_t, void*);
int __cudaPopCallConfiguration(Dim3*, Dim3*, std::size_t*, void**);
int __cudaGetKernel(const void**, const void*);
int __cudaLaunchKernel(const void*, Dim3, Dim3, void**, std::size_t, void*);
int cudaLaunchKernel(const void*, Dim3, Dim3, void**, std::size_t, void*);
int cudaLaunchCooperativeKernel(const void*, Dim3, Dim3, void**, std::size_t, void*);
int cudaLaunchKernelExC(const warpbook::cudart::abi::LaunchConfig*, const void*, void**);
int cudaGetLastError();
int cudaPeekAtLastError();
const char* cudaGetErrorName(int);
const char* cudaGetErrorString(int);
int cudaMalloc(void**, std::size_t);
int cudaFree(void*);
int cudaMallocPitch(void**, std::size_t*, std::size_t, std::size_t);
int cudaMallocManaged(void**, std::size_t, unsigned);
int cudaMallocHost(void**, std::size_t);
int cudaFreeHost(void*);
int cudaPointerGetAttributes(warpbook::cudart::abi::PointerAttributes*, const void*);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaMemcpyAsync(void*, const void*, std::size_t, int, void*);
int cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, int);
int cudaMemset(void*, int, std::size_t);
int cudaMemset2D(void*, std::size_t, int, std::size_t, std::size_t);
int cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, int);
int cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, int);
int cudaGetSymbolAddress(void**, const void*);
int cudaGetSymbolSize(std::size_t*, const void*);
int cudaDeviceSynchronize();
int cudaDeviceReset();
int cudaDeviceGetAttribute(int*, int, int);
int cudaSetDevice(int);
int cudaGetDeviceCount(int*);
int cudaDeviceSetLimit(int, std::size_t);
int cudaDeviceGetLimit(std::size_t*, int);
int cudaFuncGetAttributes(warpbook::cudart::abi::FunctionAttributes*, const void*);
int cudaFuncSetAttribute(const void*, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
int cudaStreamCreate(void**);
int cudaStreamDestroy(void*);
int cudaStreamSynchronize(void*);
int cudaStreamQuery(void*);
int cudaStreamWaitEvent(void*, void*, unsigned);
int cudaLaunchHostFunc(void*, void (*)(void*), void*);
int cudaEventCreate(void**);
int cudaEventCreateWithFlags(void**, unsigned);
int cudaEventDestroy(void*);
int cudaEventRecord(void*, void*);
int cudaEventSynchronize(void*);
int cudaEventElapsedTime(float*, void*, void*);
int cudaGraphLaunch(void*, void*);
int cudaMallocArray();
int cudaMallocAsync(void**, std::size_t, void*);
int cudaFreeAsync(void*, void*);
int cudaDeviceGetDefaultMemPool(void**, int);
int cudaMemPoolGetAttribute(void*, int, void*);
int cudaMemPoolSetAttribute(void*, int, void*);
int cudaMemPoolDestroy(void*);
int cudaHostRegister(void*, std::size_t, unsigned);
int cudaHostUnregister(void*);
int cudaHostGetDevicePointer(void**, void*, unsigned);
int cudaMemsetAsync(void*, int, std::size_t, void*);
int cudaMemcpy3D(const warpbook::cudart::abi::Copy3D*);
int cudaMalloc3D(warpbook::cudart::abi::PitchedPointer*, warpbook::cudart::abi::Extent);
int cudaMemset3D(warpbook::cudart::abi::PitchedPointer, int, warpbook::cudart::abi::Extent);
int cudaStreamBeginCapture(void*, int);
int cudaStreamEndCapture(void*, void**);
int cudaStreamIsCapturing(void*, int*);
int cudaGraphCreate(void**, unsigned);
int cudaGraphDestroy(void*);
int cudaGraphClone(void**, void*);
int cudaGraphGetNodes(void*, void**, std::size_t*);
int cudaGraphGetRootNodes(void*, void**, std::size_t*);
int cudaGraphNodeGetType(void*, int*);
int cudaGraphNodeSetEnabled(void*, void*, unsigned);
int cudaGraphAddHostNode(void**, void*, void* const*, std::size_t, const warpbook::cudart::abi::HostNode*);
int cudaGraphAddEmptyNode(void**, void*, void* const*, std::size_t);
int cudaGraphInstantiate(void**, void*, unsigned long long);
int cudaGraphExecDestroy(void*);
int cudaGraphExecUpdate(void*, void*, warpbook::cudart::abi::UpdateInfo*);
}
